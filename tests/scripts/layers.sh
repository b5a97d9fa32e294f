#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Each layer includes only those to its left: base bundle input store importers|analyzers report cli; capture includes
# base and bundle only. Every source file names its licence.
set -u
bad=0
# layer: what it may include
rules='base: base
bundle: base bundle
input: base bundle input
store: base bundle input store
importers: base bundle input store importers
analyzers: base bundle input store analyzers
report: base bundle input store analyzers report
cli: base bundle input store importers analyzers report cli
capture: base bundle capture'
while IFS=: read -r layer allowed; do
    while IFS=: read -r file line include; do
        [ -n "$file" ] || continue
        target=${include#*\"} target=${target%%/*}
        case " $allowed " in *" $target "*) ;; *) echo "$file:$line: $layer/ may not include $target/"; bad=1 ;; esac
    done < <(find "$layer" -name '*.[ch]' -o -name '*.def' 2>/dev/null | xargs -r grep -nHE '^ *# *include *"[a-z]+/')
done <<<"$rules"
while read -r file; do
    # A kernel module must be GPL-2.0-compatible; all else is ours.
    head -3 "$file" | grep -qE 'SPDX-License-Identifier: GPL-(3.0-or-later|2.0-or-later)( |$)' || { echo "$file: no SPDX line"; bad=1; }
done < <(find base bundle input store importers analyzers report cli capture tests .ci docs Makefile -name '*.[ch]' -o -name '*.mk' -o -name '*.sh' -o -name Makefile -o -path '.ci/run' 2>/dev/null)
exit $bad
