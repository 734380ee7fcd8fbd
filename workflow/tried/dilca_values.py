"""Values of Post-operative as DILCA's Fig. 2 counts them: 25.

Values that occur or declared ones; the comfort left out, in ten intervals, or cut by MDL; missing
cells as the mode or a value; with three or four classes or without them.
"""

from itertools import product

from _search import anew, close, printed, report

found = []
for way, missing in product(("bins10", "mdl", "mdl_or_bins"), ("impute", "value")):
    table, classes = anew("dilca", "post_operative", way, missing=missing)
    for name, one in {"declared": table, "that occur": table.observed()}.items():
        comfort = one.attributes.index("comfort")
        for numbers, counted in {"": 0, ", comfort left out": one.n_values[comfort]}.items():
            for label in (0, 3, 4):
                setting = f"{way}, values {name}, missing: {missing}, {label} classes{numbers}"
                found.append((setting, {"values": float(sum(one.n_values) - counted + label)}))
close({"values": report("post_operative", printed("dilca", "post_operative", "", "values"), found)})
