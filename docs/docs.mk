# SPDX-License-Identifier: GPL-3.0-or-later
#
# make docs       rewrites the manual pages, docs/findings.md and the shell completion from the program's own rows,
#                 and README's session from what it prints
#                 (they are committed; tests/scripts/help-man-agree.sh compares)
# make install    programs, manual pages, completion below $(DESTDIR)$(PREFIX)

MAN_PAGES = $(wildcard docs/man/*.1)
bindir  ?= $(PREFIX)/bin
mandir  ?= $(PREFIX)/share/man
docdir  ?= $(PREFIX)/share/doc/whylate
completiondir ?= $(PREFIX)/share/bash-completion/completions

.PHONY: docs
docs: build/whylate build/whylate-capture
	docs/make-docs build/whylate docs
	docs/make-capture-man build/whylate-capture >docs/man/whylate-capture.1
	docs/make-sessions build/whylate README.md

install: all
	install -d '$(DESTDIR)$(bindir)' '$(DESTDIR)$(mandir)/man1' '$(DESTDIR)$(docdir)' '$(DESTDIR)$(completiondir)'
	install -m 755 build/whylate '$(DESTDIR)$(bindir)/whylate'
	test ! -e build/whylate-capture || install -m 755 build/whylate-capture '$(DESTDIR)$(bindir)/whylate-capture'
	install -m 644 $(MAN_PAGES) '$(DESTDIR)$(mandir)/man1'
	install -m 644 README.md LICENSE $(wildcard docs/*.md) '$(DESTDIR)$(docdir)'
	install -m 644 docs/completion.bash '$(DESTDIR)$(completiondir)/whylate'

uninstall:
	rm -f '$(DESTDIR)$(bindir)/whylate' '$(DESTDIR)$(bindir)/whylate-capture' '$(DESTDIR)$(completiondir)/whylate'
	rm -f $(foreach page,$(notdir $(MAN_PAGES)),'$(DESTDIR)$(mandir)/man1/$(page)')
	rm -rf '$(DESTDIR)$(docdir)'
