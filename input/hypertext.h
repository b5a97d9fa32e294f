/* SPDX-License-Identifier: GPL-3.0-or-later */
/* HTML as the text that a browser would show. */
#ifndef INPUT_HYPERTEXT_H
#define INPUT_HYPERTEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* Do the first bytes begin a page? */
bool hypertext_is_page(const char *bytes, size_t size);
/* Lines where paragraphs, rows and <br> end, blanks between cells; what is preformatted stays as it is. Entities are decoded. */
void hypertext_to_text(const char *bytes, size_t size, struct text *out);

#endif
