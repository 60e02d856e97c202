// SPDX-License-Identifier: GPL-2.0-or-later
/* The screen, by ncurses where it was built in. */
#include "config.h"

#include "tools/screen.h"

#include <errno.h>
#include <stdlib.h>

#ifdef HAVE_NCURSES
#define NCURSES_WIDECHAR 1
#include <ncurses.h>

#include "tools/utf8.h"

struct screen {
	SCREEN *terminal;
};

int screen_new(struct screen **ret_screen)
{
	struct screen *screen = calloc(1, sizeof(*screen));

	if (!screen)
		return -ENOMEM;
	/* initscr() would end the program on a terminal that it doesn't know. */
	screen->terminal = newterm(NULL, stdout, stdin);
	if (!screen->terminal) {
		free(screen);
		return -ENOSYS;
	}
	set_term(screen->terminal);
	cbreak();
	noecho();
	nonl();
	curs_set(0);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	*ret_screen = screen;
	return 0;
}

void screen_free(struct screen *screen)
{
	if (!screen)
		return;
	endwin();
	delscreen(screen->terminal);
	free(screen);
}

void screen_size(const struct screen *screen, unsigned int *ret_rows, unsigned int *ret_columns)
{
	*ret_rows = (unsigned int)getmaxy(stdscr);
	*ret_columns = (unsigned int)getmaxx(stdscr);
}

void screen_begin(struct screen *screen)
{
	erase();
}

void screen_end(struct screen *screen)
{
	refresh();
}

void screen_put(struct screen *screen, unsigned int row, const char *text, enum term_look look)
{
	static const attr_t attributes[LOOKS] = {
		[LOOK_HEAD] = A_BOLD,
		[LOOK_FAINT] = A_DIM,
		[LOOK_NOTE] = A_REVERSE,
		[LOOK_BAD] = A_BOLD | A_REVERSE,
	};

	attrset(attributes[look]);
	mvaddnstr((int)row, 0, text, (int)utf8_fitting(text, (size_t)getmaxx(stdscr)));
	attrset(A_NORMAL);
}

int screen_key(struct screen *screen)
{
	int key = getch();

	switch (key) {
	case ERR:
		return SCREEN_KEY_NONE;
	case KEY_UP:
		return SCREEN_KEY_UP;
	case KEY_DOWN:
		return SCREEN_KEY_DOWN;
	case KEY_PPAGE:
		return SCREEN_KEY_PAGE_UP;
	case KEY_NPAGE:
		return SCREEN_KEY_PAGE_DOWN;
	case KEY_HOME:
		return SCREEN_KEY_HOME;
	case KEY_END:
		return SCREEN_KEY_END;
	case KEY_RESIZE:
		return SCREEN_KEY_RESIZED;
	default:
		return key > 0 && key < 256 ? key : SCREEN_KEY_NONE;
	}
}

#else

int screen_new(struct screen **ret_screen)
{
	return -ENOSYS;
}

void screen_free(struct screen *screen)
{
}

void screen_size(const struct screen *screen, unsigned int *ret_rows, unsigned int *ret_columns)
{
	*ret_rows = 0;
	*ret_columns = 0;
}

void screen_begin(struct screen *screen)
{
}

void screen_end(struct screen *screen)
{
}

void screen_put(struct screen *screen, unsigned int row, const char *text, enum term_look look)
{
}

int screen_key(struct screen *screen)
{
	return SCREEN_KEY_NONE;
}

#endif
