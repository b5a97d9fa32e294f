/* SPDX-License-Identifier: GPL-3.0-or-later */
/* limits lines|copy FILE: what the machine can do at most: counts lines with memchr, or copies to memory. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    struct stat stat;
    int fd = argc == 3 ? open(argv[2], O_RDONLY) : -1;
    if (fd < 0 || fstat(fd, &stat) || !stat.st_size)
        return 3;
    size_t size = (size_t)stat.st_size;
    const char *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes == MAP_FAILED)
        return 3;
    size_t n = 0;
    if (!strcmp(argv[1], "lines")) {
        for (const char *p = bytes, *end = bytes + size; p < end && (p = memchr(p, '\n', (size_t)(end - p))); p++)
            n++;
    } else {
        static char block[1 << 20];
        for (size_t at = 0; at < size; at += sizeof block) {
            memcpy(block, bytes + at, size - at < sizeof block ? size - at : sizeof block);
            n += (unsigned char)block[0];
        }
    }
    printf("%zu\n", n);
    return 0;
}
