# Partitions of R's package cba: Rscript reference.R codes.csv labels.csv
#
# codes.csv: one row per object, integer codes, no header. labels.csv: one column per run, named
# theta_k; labels are numbered by first objects from 0.
suppressMessages(library(cba))

args <- commandArgs(trailingOnly = TRUE)
codes <- as.matrix(read.csv(args[1], header = FALSE))
items <- do.call(cbind, lapply(seq_len(ncol(codes)), function(j) {
  outer(codes[, j], sort(unique(codes[, j])), "==")
}))

# theta = 1 is refused by cba.
runs <- expand.grid(k = c(2, 4, 7), theta = seq(4, 19) / 20)
columns <- list()
for (r in seq_len(nrow(runs))) {
  theta <- runs$theta[r]
  # 1 - theta is not exact: without the margin, pairs at the threshold would be lost.
  invisible(capture.output(
    fitted <- rockCluster(items, n = runs$k[r], beta = 1 - theta + 1e-9, theta = theta)
  ))
  label <- as.integer(fitted$cl)
  columns[[sprintf("%.2f_%d", theta, runs$k[r])]] <- match(label, unique(label)) - 1
}
write.csv(as.data.frame(columns, check.names = FALSE), args[2], row.names = FALSE, quote = FALSE)
