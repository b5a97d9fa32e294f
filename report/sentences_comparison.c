/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sentences for findings of the family "comparison"; the form is told in report/sentences.h. */
#include "report/sentences.h"

const struct sentence sentences_comparison[] = {
    {.code = NULL},
};
