# SPDX-License-Identifier: GPL-3.0-or-later
# The error rates of validate and compare, few runs each: rates that are beyond their limits for sure fail.
exec "${OBJ:-build/gcc}/tests/tools/stats_accuracy" 8
