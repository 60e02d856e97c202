// SPDX-License-Identifier: GPL-2.0-or-later
/* Filling a diagnosis. */
#include "config.h"

#include "core/diag.h"

#include <stdarg.h>
#include <stdio.h>

int diag_set(struct diag *diag, int err, const char *format, ...)
{
	va_list args;

	if (!diag)
		return err;
	va_start(args, format);
	vsnprintf(diag->text, sizeof(diag->text), format, args);
	va_end(args);
	/* It quotes what it was given: one line all the same, and nothing that a terminal obeys. */
	for (char *at = diag->text; *at; at++) {
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			*at = '?';
	}
	return err;
}
