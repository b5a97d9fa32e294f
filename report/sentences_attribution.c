/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sentences for causes and for what explain says about the evidence. */
#include "report/sentences.h"

const struct sentence sentences_attribution[] = {
    {0},
};
