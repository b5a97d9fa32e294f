/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

int main(void)
{
    puts("whylate " WHYLATE_VERSION);
    return 0;
}
