# SPDX-License-Identifier: GPL-3.0-or-later
#
# make accuracy  error rates of validate and compare on simulated histograms (minutes); a short form is in make check

.PHONY: accuracy accuracy-stats
accuracy: accuracy-stats
accuracy-stats: check-programs
	$(OBJ)/tests/tools/stats_accuracy $(if $(REDUCED),50,1000)
