/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/temporary.h"
#include "base/text.h"

static char *temporary_name(const char *path)
{
    struct text name = {0};
    text_add(&name, path);
    while (name.length > 1 && name.bytes[name.length - 1] == '/')
        text_truncate(&name, name.length - 1);
    text_add(&name, ".XXXXXX");
    char *copy = memory_string(text_string(&name));
    text_release(&name);
    return copy;
}

/* What mkstemp() and mkdtemp() leave out: the user's umask. */
static mode_t default_mode(mode_t wanted)
{
    mode_t mask = umask(0);
    umask(mask);
    return wanted & ~mask;
}

/* It is no longer temporary: renamed, or gone. */
static void forget(char **temporary)
{
    if (*temporary)
        temporary_remove(*temporary);
    free(*temporary);
    *temporary = NULL;
}

enum status output_file_begin(struct output_file *output, const char *path, struct error *error)
{
    memset(output, 0, sizeof *output);
    output->path = memory_string(path);
    struct stat stat_buffer;
    if (strcmp(path, "-") == 0) {
        output->file = stdout;
        return OK;
    }
    if (stat(path, &stat_buffer) == 0 && !S_ISREG(stat_buffer.st_mode)) {
        output->file = S_ISDIR(stat_buffer.st_mode) ? NULL : fopen(path, "we");
        if (S_ISDIR(stat_buffer.st_mode))
            errno = EISDIR;
    } else {
        output->temporary = temporary_name(path);
        int fd = mkostemp(output->temporary, O_CLOEXEC);
        if (fd >= 0) {
            temporary_add(output->temporary);
            fchmod(fd, default_mode(0666));
            output->file = fdopen(fd, "w");
        } else {
            free(output->temporary);
            output->temporary = NULL;
        }
    }
    if (output->file)
        return OK;
    error_output(error, "cannot write '%s': %s", path, strerror(errno));
    output_file_abandon(output);
    return FAILED;
}

enum status output_file_finish(struct output_file *output, struct error *error)
{
    bool good = fflush(output->file) == 0 && !ferror(output->file);
    int saved = errno;
    if (output->file != stdout && fclose(output->file) != 0 && good) {
        good = false;
        saved = errno;
    }
    output->file = NULL;
    temporary_hold();
    if (good && output->temporary && rename(output->temporary, output->path) != 0) {
        good = false;
        saved = errno;
    }
    temporary_release();
    if (!good) {
        error_output(error, "cannot write '%s': %s", output->path, strerror(saved));
    } else {
        forget(&output->temporary);
    }
    output_file_abandon(output);
    return good ? OK : FAILED;
}

void output_file_abandon(struct output_file *output)
{
    if (output->file && output->file != stdout)
        fclose(output->file);
    if (output->temporary)
        unlink(output->temporary);
    forget(&output->temporary);
    free(output->path);
    memset(output, 0, sizeof *output);
}

enum status output_file_copy(const char *from, const char *path, struct error *error)
{
    struct output_file output;
    FILE *file = fopen(from, "re");
    if (!file)
        return error_output(error, "cannot read '%s': %s", from, strerror(errno));
    if (output_file_begin(&output, path, error) == FAILED) {
        fclose(file);
        return FAILED;
    }
    char buffer[65536];
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, file)) > 0;)
        fwrite(buffer, 1, n, output.file);
    fclose(file);
    return output_file_finish(&output, error);
}

/* ---- folders ---- */

static int remove_entry(const char *path, const struct stat *stat_buffer, int flag, struct FTW *ftw)
{
    (void)stat_buffer, (void)flag, (void)ftw;
    return remove(path);
}

static void remove_folder(const char *path)
{
    nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static bool folder_is_empty(const char *path)
{
    DIR *directory = opendir(path);
    if (!directory)
        return false;
    int n = 0;
    while (readdir(directory) && n < 3)
        n++;
    closedir(directory);
    return n <= 2; /* "." and ".." */
}

static bool folder_has(const char *path, const char *name)
{
    struct text file = {0};
    text_format(&file, "%s/%s", path, name);
    bool has = access(text_string(&file), F_OK) == 0;
    text_release(&file);
    return has;
}

enum status output_folder_scratch(struct output_folder *output, const char *path, struct error *error)
{
    memset(output, 0, sizeof *output);
    output->temporary = temporary_name(path);
    if (!mkdtemp(output->temporary)) {
        error_output(error, "cannot write '%s': %s", path, strerror(errno));
        free(output->temporary);
        output->temporary = NULL;
        return FAILED;
    }
    temporary_add(output->temporary);
    chmod(output->temporary, default_mode(0777));
    output->path = memory_string(path);
    return OK;
}

enum status output_folder_begin(struct output_folder *output, const char *path, const char *mark, struct error *error)
{
    memset(output, 0, sizeof *output);
    struct stat stat_buffer;
    if (lstat(path, &stat_buffer) == 0) {
        if (!S_ISDIR(stat_buffer.st_mode))
            return error_output(error, "cannot write '%s': it exists and is no folder", path);
        if (!folder_is_empty(path) && !folder_has(path, mark))
            return error_output(error, "cannot write '%s': the folder holds other things (no %s in it)", path, mark);
    }
    return output_folder_scratch(output, path, error);
}

enum status output_folder_finish(struct output_folder *output, struct error *error)
{
    char *old = NULL;
    bool good = true;
    temporary_hold();
    if (access(output->path, F_OK) == 0) { /* begin() has looked: ours, or empty */
        old = temporary_name(output->path);
        good = mkdtemp(old) && rename(output->path, old) == 0;
    }
    if (good && rename(output->temporary, output->path) != 0) {
        good = false;
        if (old)
            rename(old, output->path);
    }
    temporary_release();
    if (!good)
        error_output(error, "cannot write '%s': %s", output->path, strerror(errno));
    else if (old)
        remove_folder(old);
    free(old);
    if (good)
        forget(&output->temporary);
    output_folder_abandon(output);
    return good ? OK : FAILED;
}

void output_folder_abandon(struct output_folder *output)
{
    if (output->temporary)
        remove_folder(output->temporary);
    forget(&output->temporary);
    free(output->path);
    memset(output, 0, sizeof *output);
}
