#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What cannot be kept as a file below tests/bad: sparse files, pipes, permissions, full disks, archives with tricks, huge
# lines. Each: the exit code, one line of stderr with the words, nothing on stdout, no file left, bounded memory and time.
set -u
export LC_ALL=C
work=$(mktemp -d) || exit 2
trap 'chmod -R u+rwx "$work"; rm -rf "$work"' EXIT
cd "$work" || exit 2
bad=0
cp "$top/samples/cyclictest-0.17-status.txt" good.txt
small() { prlimit --data=1000000000 timeout 100 "$@"; }
case ${OBJ:-} in *address*) small() { timeout 300 "$@"; } ;; esac # sanitizers want terabytes of addresses

# expect STATUS WORDS COMMAND...
expect() {
    local status=$1 words=$2 got
    shift 2
    small "$@" >out 2>err
    got=$?
    [ $got = "$status" ] || { echo "$*: status $got, expected $status: $(head -c 200 err)"; bad=1; }
    [ "$(wc -l <err)" = 1 ] && grep -qF -- "$words" err || { echo "$*: expected '$words', said: $(head -c 300 err)"; bad=1; }
    [ ! -s out ] || { echo "$*: wrote to stdout"; bad=1; }
}
# accept WORDS COMMAND...: done, and the words are in what it says
accept() {
    local words=$1
    shift
    small "$@" >out 2>err || { echo "$*: status $?: $(head -c 300 err)"; bad=1; }
    grep -qF -- "$words" out || { echo "$*: expected '$words' in: $(head -5 out)"; bad=1; }
}

: >empty
mkdir no-files known-none
echo 'int main(void) { return 0; }' >known-none/a.c
head -c 100000 /dev/zero | tr '\0' '\377' >garbage
expect 3 'empty: empty file' "$whylate" info empty
expect 3 'no-files: a directory without readable files' "$whylate" info no-files
expect 3 'known-none/a.c: no known format' "$whylate" info known-none
expect 3 'garbage: binary data of no known format' "$whylate" explain garbage
expect 3 'absent: cannot open: No such file' "$whylate" info good.txt absent
expect 3 '-: empty file' "$whylate" info - </dev/null
expect 3 '-: cannot read: Bad file descriptor' "$whylate" info - <&-
expect 3 '/dev/zero: is a device' "$whylate" info /dev/zero
expect 2 "unknown input format 'frob'" "$whylate" info --input-format frob good.txt

truncate -s 10G sparse
expect 3 'sparse: holds only zeros' "$whylate" info sparse
expect 3 'sparse: holds only zeros' "$whylate" import sparse -o sparse.wl
cp good.txt sparse-tail; truncate -s 10G sparse-tail
expect 3 'sparse-tail: binary data' "$whylate" info sparse-tail
(cat good.txt; head -c 8192 /dev/zero) >power-cut.txt
accept 'NUL bytes at the end' "$whylate" info power-cut.txt

mkfifo pipe
expect 3 'pipe: a pipe that nobody wrote to' "$whylate" info pipe
accept '501 samples' "$whylate" info <(cat good.txt)
(sleep 0.3; cat good.txt >pipe) &
accept '501 samples' "$whylate" info pipe
wait

# A reader that does not care for permissions (root) has none to test.
if [ "$(id -u)" != 0 ]; then as=""; elif setpriv --reuid 65534 --clear-groups true 2>/dev/null; then as="setpriv --reuid 65534 --clear-groups"; else as=none; fi
if [ "$as" != none ]; then
    chmod 755 .; mkdir half; cp good.txt half/a.txt; cp good.txt half/b.txt; cp good.txt secret.txt
    chmod 000 half/b.txt secret.txt
    # The program may lie in a folder that others may not enter: started from a copy.
    cp "$whylate" program; chmod 755 program
    expect 3 'secret.txt: cannot open: Permission denied' $as ./program info secret.txt
    accept 'half/b.txt: cannot open: Permission denied' $as ./program info --json half
    mkdir locked; chmod 555 locked
    expect 4 'locked/x.wl' $as ./program import good.txt -o locked/x.wl
    expect 4 'locked/r' $as ./program report good.txt -o locked/r
fi

expect 4 'cannot write standard output' bash -c '"$whylate" info good.txt >/dev/full'
expect 4 'cannot write standard output' bash -c '"$whylate" info --json good.txt >/dev/full'
expect 4 'cannot write standard output' bash -c '"$whylate" info good.txt >&-'
small "$whylate" import good.txt -o kept.wl >&- 2>err
"$whylate" info kept.wl 2>&1 >out | grep -q . && { echo "a closed stdout: the run file took what was printed"; bad=1; }
rm -f kept.wl
expect 4 '/dev/full: not a regular file' "$whylate" import good.txt -o /dev/full
expect 4 'absent/x.wl: cannot create' "$whylate" import good.txt -o absent/x.wl
expect 4 'known-none: not a regular file' "$whylate" import good.txt -o known-none
# A reader that goes away is no crash, and no message.
for i in 1 2 3; do
    "$whylate" info --json "$top/samples/irq-storm-device" 2>err | head -c 1 >/dev/null
    case ${PIPESTATUS[0]} in 0 | 141 | 4) ;; *) echo "closed pipe: status ${PIPESTATUS[0]}"; bad=1 ;; esac
done
if [ "$(id -u)" = 0 ] && mkdir full && mount -t tmpfs -o size=4k none full 2>/dev/null; then
    expect 4 'No space left on device' "$whylate" import "$top/samples/trace-v6.dat" -o full/x.wl
    expect 4 'No space left on device' "$whylate" report good.txt -o full/r
    [ -z "$(ls full/*.wl* 2>/dev/null)" ] || { echo "a full disk: a partial run file stays: $(ls full)"; bad=1; }
    umount full
fi

python3 - <<'PY'
import tarfile, io, zipfile, gzip
good = open('good.txt', 'rb').read()
def add(tar, name, data=good):
    info = tarfile.TarInfo(name); info.size = len(data); tar.addfile(info, io.BytesIO(data))
with tarfile.open('tricks.tar', 'w') as tar:
    add(tar, '../../escaped.txt'); add(tar, '/absolute.txt')
    link = tarfile.TarInfo('link'); link.type = tarfile.SYMTYPE; link.linkname = '/etc'; tar.addfile(link)
    hard = tarfile.TarInfo('hard'); hard.type = tarfile.LNKTYPE; hard.linkname = '/etc/passwd'; tar.addfile(hard)
    node = tarfile.TarInfo('dev'); node.type = tarfile.CHRTYPE; node.devmajor = 1; node.devminor = 5; tar.addfile(node)
    add(tar, 'link/under.txt'); add(tar, 'a\x1b[31m\n\x07b.txt')
with tarfile.open('many.tar', 'w') as tar:
    for n in range(100001): add(tar, 'd/%d' % n, b'')
with gzip.open('bomb.gz', 'wb', compresslevel=9) as out:
    for n in range(256): out.write(b'T' * (1 << 20))
nested = good
for n in range(40): nested = gzip.compress(nested)
open('nested.gz', 'wb').write(nested)
with zipfile.ZipFile('empty.zip', 'w'): pass
with zipfile.ZipFile('locked.zip', 'w') as out: out.writestr('a.txt', good)
b = bytearray(open('locked.zip', 'rb').read()); b[6] |= 1; b[b.find(b'PK\1\2') + 8] |= 1
open('locked.zip', 'wb').write(b)
with tarfile.open('cut.tar.gz', 'w:gz') as tar:
    add(tar, 'a.txt'); add(tar, 'b.txt', bytes(n * n * n >> 7 & 255 for n in range(100000)))
z = open('cut.tar.gz', 'rb').read()
open('cut.tar.gz', 'wb').write(z[:len(z) // 2])
def long_line(name, head, filler, tail=b''):
    with open(name, 'wb') as out:
        out.write(head)
        for n in range(100): out.write(filler * 1000000)
        out.write(tail)
long_line('long.txt', b'', b'x')
long_line('long-trace.txt', b'# tracer: nop\n#\n', b'x')
long_line('long.json', b'{"version":1,"a":"', b'x', b'"}')
open('deep.json', 'wb').write(b'{"version":1,"thread":' + b'[' * 10000000)
open('deep.xml', 'wb').write(b'<?xml version="1.0"?><rteval version="2">' + b'<b>' * 3000000)
PY
accept '4 runs from 4 files' "$whylate" info tricks.tar
[ ! -e ../escaped.txt ] && [ ! -e ../../escaped.txt ] && [ ! -e /absolute.txt ] || { echo "an archive wrote outside"; bad=1; }
grep -q "$(printf '\033')" out && { echo "an archive's name sends escapes to the terminal"; bad=1; }
expect 3 'many.tar: more than 100000 files' "$whylate" info many.tar
expect 3 'bomb.gz' "$whylate" info bomb.gz
expect 3 'nested.gz' "$whylate" info nested.gz
expect 3 'empty.zip: an archive without files' "$whylate" info empty.zip
expect 3 'locked.zip: encrypted' "$whylate" info locked.zip
accept 'ends early' "$whylate" info --json cut.tar.gz
expect 3 'long.txt: no known format' "$whylate" info long.txt
accept 'left out' "$whylate" info long-trace.txt
expect 3 'long.json: no known format' "$whylate" info long.json
expect 3 'deep.json: no known format' "$whylate" info deep.json
expect 3 'deep.xml: no results of rteval' "$whylate" info deep.xml

mkdir loop; ln -s . loop/self; ln -s ../loop loop/up; ln -s nowhere loop/dangling; ln -s /dev/zero loop/zero
ln -s b loop/a; ln -s a loop/b; ln -s ../good.txt loop/good.txt
accept '1 run from 1 file' "$whylate" info loop
expect 3 'loop/a: cannot open: Too many levels' "$whylate" info loop/a
mkdir tiny; (cd tiny && seq 5000 | while read -r n; do echo "a b c $n" >"f$n"; done)
expect 3 'tiny: no file of a known format' "$whylate" info tiny
[ -z "$(ls ./*.wl* 2>/dev/null)" ] || { echo "left: $(ls ./*.wl*)"; bad=1; }
exit $bad
