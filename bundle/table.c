/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bundle/bundle.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"

struct row {
    char **fields;
    size_t n_fields;
};

struct bundle_table {
    struct arena arena;
    struct row header;
    struct row *rows;
    size_t n_rows, capacity, n_damaged;
};

/* A field without its escapes; NULL for "-". */
static char *unescape(struct arena *arena, const char *bytes, size_t length)
{
    if (length == 1 && *bytes == '-')
        return NULL;
    char *field = arena_string_n(arena, bytes, length), *to = field;
    for (const char *from = field; *from; from++) {
        if (*from == '\\' && from[1]) {
            from++;
            *to++ = (char)(*from == 't' ? '\t' : *from == 'n' ? '\n' : *from);
        } else {
            *to++ = *from;
        }
    }
    *to = '\0';
    return field;
}

static struct row split(struct arena *arena, const char *line, size_t length)
{
    size_t n = 1;
    for (size_t i = 0; i < length; i++)
        n += line[i] == '\t';
    struct row row = {arena_array(arena, n, sizeof(char *)), 0};
    for (const char *end = line + length; line <= end;) {
        const char *tab = memchr(line, '\t', (size_t)(end - line));
        const char *stop = tab ? tab : end;
        row.fields[row.n_fields++] = unescape(arena, line, (size_t)(stop - line));
        line = stop + 1;
    }
    return row;
}

struct bundle_table *bundle_table_read(const char *bytes, size_t size)
{
    struct bundle_table *table = memory_new(sizeof *table);
    const char *end = bytes + size;
    while (bytes < end) {
        const char *newline = memchr(bytes, '\n', (size_t)(end - bytes));
        if (!newline) { /* cut in mid-row: the writer's rows are whole lines */
            table->n_damaged++;
            break;
        }
        size_t length = (size_t)(newline - bytes);
        if (length && bytes[0] == '#') {
            size_t skip = length > 1 && bytes[1] == ' ' ? 2 : 1;
            if (!table->header.n_fields)
                table->header = split(&table->arena, bytes + skip, length - skip);
        } else if (length) {
            struct row row = split(&table->arena, bytes, length);
            if (table->header.n_fields && row.n_fields < table->header.n_fields) {
                table->n_damaged++;
            } else {
                memory_reserve(table->rows, table->capacity, table->n_rows + 1);
                table->rows[table->n_rows++] = row;
            }
        }
        bytes = newline + 1;
    }
    return table;
}

size_t bundle_table_rows(const struct bundle_table *table)
{
    return table->n_rows;
}

size_t bundle_table_damaged(const struct bundle_table *table)
{
    return table->n_damaged;
}

const char *bundle_table_field(const struct bundle_table *table, size_t row, const char *column)
{
    if (row >= table->n_rows)
        return NULL;
    for (size_t i = 0; i < table->header.n_fields && i < table->rows[row].n_fields; i++)
        if (table->header.fields[i] && strcmp(table->header.fields[i], column) == 0)
            return table->rows[row].fields[i];
    return NULL;
}

bool bundle_table_i64(const struct bundle_table *table, size_t row, const char *column, int64_t *value)
{
    const char *field = bundle_table_field(table, row, column);
    if (!field)
        return false;
    char *end;
    errno = 0;
    long long number = strtoll(field, &end, 10);
    if (errno || end == field || *end)
        return false;
    *value = number;
    return true;
}

const char *bundle_table_value(const struct bundle_table *table, const char *key)
{
    const char *value = NULL;
    for (size_t i = 0; i < table->n_rows; i++) {
        const struct row *row = &table->rows[i];
        if (row->n_fields >= 2 && row->fields[0] && strcmp(row->fields[0], key) == 0)
            value = row->fields[1];
    }
    return value;
}

void bundle_table_free(struct bundle_table *table)
{
    if (!table)
        return;
    arena_release(&table->arena);
    free(table->rows);
    free(table);
}

enum status bundle_row_write(int fd, const char *const *fields, size_t n_fields, struct error *error)
{
    struct text line = {0};
    for (size_t i = 0; i < n_fields; i++) {
        if (i)
            text_add_char(&line, '\t');
        for (const char *c = fields[i] ? fields[i] : "-"; *c; c++) {
            if (*c == '\\' || *c == '\t' || *c == '\n') {
                text_add_char(&line, '\\');
                text_add_char(&line, (char)(*c == '\t' ? 't' : *c == '\n' ? 'n' : '\\'));
            } else {
                text_add_char(&line, *c);
            }
        }
    }
    text_add_char(&line, '\n');
    ssize_t n = write(fd, line.bytes, line.length);
    enum status status = OK;
    if (n != (ssize_t)line.length)
        status = error_output(error, "cannot write a row: %s", n < 0 ? strerror(errno) : "no space left");
    text_release(&line);
    return status;
}
