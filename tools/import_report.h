/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What came of an import, told on stderr. */
#ifndef TOOLS_IMPORT_REPORT_H
#define TOOLS_IMPORT_REPORT_H

#include <stdio.h>

#include "tools/import.h"

/*
 * Tells it, and returns what to exit with: EXIT_FAILED when err ended the import (import->diag says
 * why), nothing could be used, less than half of the lines could, or an input was torn.
 */
int import_report(const struct import *import, const char *output, int err, FILE *out);

#endif
