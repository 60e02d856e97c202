// SPDX-License-Identifier: GPL-2.0-or-later
/* Colour and width of the output, by the conventions of no-color.org and CLICOLOR_FORCE. */
#include "config.h"

#include "tools/term.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/units.h"

static bool env_set(const char *name)
{
	const char *value = getenv(name);

	return value && *value;
}

static bool wants_colour(bool tty, enum term_colour colour)
{
	const char *type = getenv("TERM"), *force = getenv("CLICOLOR_FORCE");

	if (colour != TERM_COLOUR_AUTO)
		return colour == TERM_COLOUR_ALWAYS;
	if (env_set("NO_COLOR"))
		return false;
	if (force && *force && strcmp(force, "0") != 0)
		return true;
	return tty && type && strcmp(type, "dumb") != 0;
}

static unsigned int window_columns(int fd)
{
	const char *text = getenv("COLUMNS");
	struct winsize size;
	uint64_t columns;

	if (text && !units_parse_uint(text, 20, 10000, &columns))
		return (unsigned int)columns;
	if (!ioctl(fd, TIOCGWINSZ, &size) && size.ws_col)
		return size.ws_col;
	return 80;
}

void term_init(struct term *term, FILE *out, enum term_colour colour)
{
	int fd = fileno(out);

	term->tty = fd >= 0 && isatty(fd);
	term->colour = wants_colour(term->tty, colour);
	term->columns = term->tty ? window_columns(fd) : 0;
}

int term_parse_colour(const char *text, enum term_colour *ret_colour)
{
	static const char *const names[] = {
		[TERM_COLOUR_AUTO] = "auto",
		[TERM_COLOUR_ALWAYS] = "always",
		[TERM_COLOUR_NEVER] = "never",
	};

	for (unsigned int i = 0; i < 3; i++) {
		if (!strcmp(text, names[i])) {
			*ret_colour = (enum term_colour)i;
			return 0;
		}
	}
	return -EINVAL;
}

const char *term_look(const struct term *term, enum term_look look)
{
	static const char *const codes[LOOKS] = {
		[LOOK_PLAIN] = "\033[0m", [LOOK_HEAD] = "\033[1m",  [LOOK_FAINT] = "\033[2m",
		[LOOK_GOOD] = "\033[32m", [LOOK_NOTE] = "\033[33m", [LOOK_BAD] = "\033[31m",
	};

	return term->colour ? codes[look] : "";
}
