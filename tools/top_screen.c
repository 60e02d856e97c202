// SPDX-License-Identifier: GPL-2.0-or-later
/* `weir top` on a terminal: two panes, keys, and samples at their time. */
#include "config.h"

#include "tools/top.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/cleanup.h"
#include "core/clock.h"
#include "tools/screen.h"

#define HEAD_ROWS 3u /* two lines and a blank one */
#define FOOT_ROWS 1u

static const char *const help_lines[] = {
	"q        quit",
	"s        next order of the files: time, p99, bytes, ops, errors",
	"arrows   scroll the files; also PgUp, PgDn, Home, End",
	"p        pause, and go on",
	"c        show the last interval, or all that was watched",
	"r        watch anew: what was before no longer counts for c",
	"h        this help",
	"",
	"ops/s and KiB/s are rates of what is shown. p99 is that of what is shown, never an",
	"average of percentiles; ~ marks one of fewer than 100 samples.",
};

/* Text in lines, as a stream wrote it. */
struct lines {
	char *text;
	size_t len;
	FILE *out;
	char *next;
};

struct view {
	struct screen *screen;
	struct top_options options;
	const struct source *source;
	const struct sample *first;
	struct sample base;       /* what `r` set; empty: first */
	struct sample last;       /* empty: first */
	struct interval interval; /* the last one */
	bool has_base;
	bool has_last;
	bool paused;
	bool cumulative;
	bool help;
	bool quit;
	size_t scroll;
};

/* --- drawing ------------------------------------------------------------------------------- */

static int lines_open(struct lines *lines)
{
	*lines = (struct lines){0};
	lines->out = open_memstream(&lines->text, &lines->len);
	return lines->out ? 0 : -ENOMEM;
}

static void lines_ready(struct lines *lines)
{
	fclose(lines->out);
	lines->next = lines->text;
}

static const char *lines_next(struct lines *lines)
{
	if (!lines->next || !*lines->next)
		return NULL;
	return strsep(&lines->next, "\n");
}

/* Puts up to `room` lines from a row on. Returns the row after them. */
static unsigned int put_lines(struct screen *screen, struct lines *lines, unsigned int row,
			      unsigned int room, enum term_look first)
{
	const char *line;

	for (enum term_look look = first; room && (line = lines_next(lines)); room--) {
		screen_put(screen, row++, line, look);
		look = LOOK_PLAIN;
	}
	return row;
}

static void draw_foot(const struct view *view, unsigned int row)
{
	char text[128];

	snprintf(text, sizeof(text),
		 " q quit  s order: %-6s  p %s  c %s  r anew  arrows scroll  h help",
		 select_sort_name(view->options.sort), view->paused ? "GO ON" : "pause",
		 view->cumulative ? "INTERVAL" : "all watched");
	screen_put(view->screen, row, text, LOOK_NOTE);
}

static void draw_help(struct screen *screen)
{
	screen_put(screen, 0, "weir top: keys", LOOK_HEAD);
	for (size_t i = 0; i < sizeof(help_lines) / sizeof(help_lines[0]); i++)
		screen_put(screen, (unsigned int)i + 2, help_lines[i], LOOK_PLAIN);
}

/* The files' pane: its titles stay, its rows scroll. */
static int draw_files(struct view *view, const struct interval *interval, unsigned int row,
		      unsigned int room)
{
	struct lines lines;
	const char *titles;
	int err = lines_open(&lines);

	if (err || !room)
		return err;
	err = top_text_files(&view->options, interval, lines.out);
	lines_ready(&lines);
	titles = lines_next(&lines);
	if (!err && titles) {
		screen_put(view->screen, row, titles, LOOK_HEAD);
		for (size_t i = 0; i < view->scroll && lines_next(&lines); i++)
			;
		put_lines(view->screen, &lines, row + 1, room - 1, LOOK_PLAIN);
	}
	free(lines.text);
	return err;
}

static int draw_interval(struct view *view, const struct interval *interval)
{
	unsigned int rows, columns, row, room;
	struct lines lines;
	int err = lines_open(&lines);

	if (err)
		return err;
	screen_size(view->screen, &rows, &columns);
	view->options.show.term = (struct term){.tty = true, .columns = columns};
	top_text_head(&view->options, view->source->mount->point, interval, lines.out);
	fputc('\n', lines.out);
	top_text_ops(&view->options, interval, lines.out);
	lines_ready(&lines);
	put_lines(view->screen, &lines, 0, HEAD_ROWS, LOOK_HEAD);
	room = rows > HEAD_ROWS + FOOT_ROWS ? rows - HEAD_ROWS - FOOT_ROWS : 0;
	row = put_lines(view->screen, &lines, HEAD_ROWS, room / 2, LOOK_HEAD);
	free(lines.text);
	if (row + 1 + FOOT_ROWS < rows)
		err = draw_files(view, interval, row + 1, rows - FOOT_ROWS - row - 1);
	draw_foot(view, rows ? rows - 1 : 0);
	return err;
}

static const struct sample *latest(const struct view *view)
{
	return view->has_last ? &view->last : view->first;
}

static int draw(struct view *view)
{
	struct interval whole;
	int err = 0;

	screen_begin(view->screen);
	if (view->help) {
		draw_help(view->screen);
	} else if (view->cumulative) {
		err = interval_make(view->has_base ? &view->base : view->first, latest(view),
				    REPORT_FINAL, &whole);
		if (!err) {
			err = draw_interval(view, &whole);
			interval_done(&whole);
		}
	} else {
		err = draw_interval(view, &view->interval);
	}
	screen_end(view->screen);
	return err;
}

/* --- samples ------------------------------------------------------------------------------- */

static int take(struct view *view, struct diag *diag)
{
	struct interval interval;
	struct sample now;
	int err = sample_take(view->source, &now, diag);

	if (err)
		return err;
	err = interval_make(latest(view), &now, REPORT_INTERVAL, &interval);
	if (err) {
		sample_done(&now);
		return err;
	}
	interval_done(&view->interval);
	view->interval = interval;
	sample_done(&view->last);
	view->last = now;
	view->has_last = true;
	return 0;
}

/* The baseline of what was watched is the latest sample. */
static int rebase(struct view *view)
{
	const struct sample *from = latest(view);
	struct interval copy;
	int err = interval_make(NULL, from, REPORT_FINAL, &copy);

	if (err)
		return err;
	sample_done(&view->base);
	view->base = (struct sample){copy.summary, from->wall_ns, from->mono_ns};
	view->has_base = true;
	return 0;
}

/* --- keys ---------------------------------------------------------------------------------- */

static void scroll(struct view *view, int key)
{
	size_t most = view->interval.summary.file_count, page = 10;

	switch (key) {
	case SCREEN_KEY_UP:
		view->scroll -= view->scroll > 0;
		break;
	case SCREEN_KEY_DOWN:
		view->scroll++;
		break;
	case SCREEN_KEY_PAGE_UP:
		view->scroll -= view->scroll < page ? view->scroll : page;
		break;
	case SCREEN_KEY_PAGE_DOWN:
		view->scroll += page;
		break;
	case SCREEN_KEY_HOME:
		view->scroll = 0;
		break;
	case SCREEN_KEY_END:
		view->scroll = most;
		break;
	default:
		break;
	}
	if (!view->cumulative && view->scroll >= most)
		view->scroll = most ? most - 1 : 0;
}

static int press(struct view *view, int key)
{
	bool was_help = view->help;

	view->help = false;
	switch (key) {
	case 'q':
	case 'Q':
		view->quit = !was_help;
		return 0;
	case 's':
		view->options.sort = (enum sort_key)((view->options.sort + 1) % SORT_KEYS);
		return 0;
	case 'p':
		view->paused = !view->paused;
		return 0;
	case 'c':
		view->cumulative = !view->cumulative;
		return 0;
	case 'r':
		view->scroll = 0;
		return rebase(view);
	case 'h':
	case '?':
		view->help = !was_help;
		return 0;
	default:
		scroll(view, key);
		return 0;
	}
}

static int press_all(struct view *view)
{
	int key, err = 0;

	while (!err && (key = screen_key(view->screen)) != SCREEN_KEY_NONE)
		err = press(view, key);
	return err;
}

/* --- the loop ------------------------------------------------------------------------------ */

static int watch(struct view *view, const struct stopper *stopper, int *ret_signal,
		 struct diag *diag)
{
	uint64_t due_ns = view->first->mono_ns, made = 0;
	int err = interval_make(NULL, view->first, REPORT_SINCE_MOUNT, &view->interval);

	while (!err && !view->quit && (!view->options.count || made < view->options.count)) {
		int wake;

		err = draw(view);
		if (err)
			break;
		if (due_ns <= clock_mono_ns())
			due_ns = clock_mono_ns() + view->options.interval_ns;
		wake = stopper_wait(stopper, due_ns);
		if (wake > 0) {
			*ret_signal = wake;
			break;
		}
		if (wake == WAKE_INPUT) {
			err = press_all(view);
		} else if (!view->paused) {
			err = take(view, diag);
			made++;
		}
	}
	return err;
}

int top_screen(const struct top_options *options, const struct source *source,
	       const struct stopper *stopper, const struct sample *first, int *ret_signal,
	       struct diag *diag)
{
	struct view view = {.options = *options, .source = source, .first = first};
	int err = screen_new(&view.screen);

	if (err)
		return err;
	view.options.files = TOP_ROWS;
	*ret_signal = 0;
	err = watch(&view, stopper, ret_signal, diag);
	screen_free(view.screen);
	interval_done(&view.interval);
	sample_done(&view.base);
	sample_done(&view.last);
	return err;
}
