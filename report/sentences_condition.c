/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sentences for findings of the family "condition"; the form is told in report/sentences.h. */
#include "report/sentences.h"

const struct sentence sentences_condition[] = {
    {.code = NULL},
};
