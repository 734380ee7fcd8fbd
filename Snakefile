"""The entry for `snakemake` at the top of a clone; the workflow is in workflow/Snakefile."""


include: "workflow/Snakefile"


# Snakemake forgets the default target of a file that is included
workflow.default_target = "all"
