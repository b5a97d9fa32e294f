/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files and folders that appear whole or not at all: written under a temporary name beside, then renamed. */
#ifndef REPORT_OUTPUT_H
#define REPORT_OUTPUT_H

#include <stdio.h>

#include "base/error.h"

struct output_file {
    FILE *file;
    char *path, *temporary; /* temporary NULL: written in place (a device, FIFO or "-") */
};
/* What is written goes to a temporary name beside the path; path "-" is standard output. */
enum status output_file_begin(struct output_file *output, const char *path, struct error *error);
/* Closes and renames; on any write error nothing is left behind. */
enum status output_file_finish(struct output_file *output, struct error *error);
void output_file_abandon(struct output_file *output);
/* A file made elsewhere, whole at path or not at all. */
enum status output_file_copy(const char *from, const char *path, struct error *error);

struct output_folder {
    char *path, *temporary;
};
/*
 * A new folder beside path. finish() puts it in path's place: path must not exist, be empty, or be a folder that holds
 * the file `mark` (an earlier result of ours, which is replaced).
 */
enum status output_folder_begin(struct output_folder *output, const char *path, const char *mark, struct error *error);
/* A scratch folder beside path, of any use; only to be abandoned. */
enum status output_folder_scratch(struct output_folder *output, const char *path, struct error *error);
enum status output_folder_finish(struct output_folder *output, struct error *error);
void output_folder_abandon(struct output_folder *output);

#endif
