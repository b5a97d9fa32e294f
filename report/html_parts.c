/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/html_parts.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/duration.h"
#include "report/words.h"

void html_text(FILE *file, const char *string)
{
    words_markup(file, string ? string : "\xe2\x80\x93"); /* en dash: unknown */
}

void html_element(FILE *file, const char *name, const char *class, const char *string)
{
    fprintf(file, "<%s%s%s%s>", name, class ? " class=\"" : "", class ? class : "", class ? "\"" : "");
    html_text(file, string);
    fprintf(file, "</%s>", name);
}

void html_ns(FILE *file, int64_t ns, bool is_least)
{
    char duration[DURATION_TEXT_BYTES];
    struct text text = {0};
    if (ns != NS_UNKNOWN)
        text_format(&text, "%s%s", is_least ? "\xe2\x89\xa5 " : "", duration_format(ns, duration)); /* greater than or equal */
    html_element(file, "td", "n", ns == NS_UNKNOWN ? NULL : text_string(&text));
    text_release(&text);
}

void html_duration(FILE *file, const json_t *object, const char *key)
{
    html_ns(file, json_get_ns(object, key), false);
}

void html_count(FILE *file, const json_t *object, const char *key)
{
    struct text text = {0};
    double n = json_get_number(object, key);
    if (!isnan(n))
        words_count_of(n, &text);
    html_element(file, "td", "n", isnan(n) ? NULL : text_string(&text));
    text_release(&text);
}

void html_table(FILE *file, const char *const *titles)
{
    fputs("<table><thead><tr>", file);
    for (; *titles; titles++)
        html_element(file, "th", **titles == '>' ? "n" : NULL, **titles == '>' ? *titles + 1 : *titles);
    fputs("</tr></thead><tbody>\n", file);
}

void html_table_end(FILE *file)
{
    fputs("</tbody></table>\n", file);
}

/* ---- pictures ---- */

/* Ids in one page must differ between pictures: each gets its number in front. */
static void put_svg(FILE *file, const char *svg, size_t number)
{
    const char *p = strstr(svg, "<svg");
    if (!p)
        return;
    while (*p) {
        static const char *const reference[] = {"id=\"", "id='", "href='#", "href=\"#", "url(#"};
        size_t k = 0, n_references = sizeof reference / sizeof *reference;
        while (k < n_references && strncmp(p, reference[k], strlen(reference[k])) != 0)
            k++;
        if (k == n_references) {
            putc(*p++, file);
            continue;
        }
        fprintf(file, "%sp%zu-", reference[k], number);
        p += strlen(reference[k]);
    }
}

void html_figure(FILE *file, const char *folder, const struct html_picture *picture, size_t number)
{
    struct text path = {0}, svg = {0};
    text_format(&path, "%s/plots/%s.svg", folder, picture->name);
    FILE *from = fopen(text_string(&path), "re");
    text_release(&path);
    if (!from)
        return;
    char buffer[16384];
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, from)) > 0;)
        text_add_n(&svg, buffer, n);
    fclose(from);
    fputs("<figure>\n", file);
    put_svg(file, text_string(&svg), number);
    fputs("<figcaption>", file);
    html_text(file, picture->title);
    fprintf(file,
            " (<a href=\"plots/%s.png\">PNG</a>, <a href=\"plots/%s.gp\">gnuplot script</a>, "
            "<a href=\"plots/%s.dat\">data</a>)</figcaption></figure>\n",
            picture->name, picture->name, picture->name);
    text_release(&svg);
}
