# SPDX-License-Identifier: GPL-3.0-or-later
#
# make deps          install through apt only what is missing
# make demo          the whole job on the samples, from a bare clone
# make check-corpus  every file of ../shared/corpus, as a table (tests/check-corpus; skipped when it is not there)
# make ci            what continuous integration runs (.ci/run)

.PHONY: check-corpus ci
deps:
	.ci/deps

# What deps installs decides how the programs are built: hence a make of its own.
demo:
	.ci/deps
	$(MAKE) all
	samples/demo

check-corpus: all
	tests/check-corpus

ci:
	.ci/run
