// SPDX-License-Identifier: GPL-2.0-or-later
/* Any line on the control socket of a mount that never was: "ok", or an error in one line. */
#include "config.h"

#include <assert.h>
#include <string.h>

#include "core/bytes.h"
#include "trace/snapshot.h"
#include "weirfs/control.h"
#include "weirfs/log.h"
#include "weirfs/weirfs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* As much of a mount as requests look at, with one file that was read. */
static void set_up(struct weirfs *fs)
{
	const uint64_t duration_ns[DURATIONS] = {[DUR_SERVICE] = 1000, [DUR_TOTAL] = 1000};
	const struct op op = {.kind = OP_READ, .arrive_ns = 1, .done_ns = 1001};
	struct statx root = {.stx_ino = 2, .stx_mode = S_IFDIR};
	static char source[] = "/src", mountpoint[] = "/mnt";
	int err;

	options_init(&fs->options);
	fs->options.source = source;
	fs->options.mountpoint = mountpoint;
	fs->backing_name = "none";
	err = tree_init(&fs->tree, &root);
	if (!err)
		err = fdcache_init(&fs->fdcache, &fs->tree, &fs->mounts, -1, 8);
	if (!err)
		err = files_init(&fs->files, &fs->tree, 16);
	if (!err)
		err = delayq_init(&fs->delayq, 4096);
	assert(!err);
	stats_init(&fs->stats);
	shaper_init(&fs->shaper, &fs->tree);
	pthread_mutex_init(&fs->workers.lock, NULL);
	stats_begin(&fs->stats);
	stats_end(&fs->stats, &op, duration_ns);
	files_record(&fs->files, fs->tree.root, &op, duration_ns, false);
}

static void check_snapshot(const struct bytes *answer)
{
	struct summary summary;
	struct diag diag;

	summary_init(&summary);
	assert(!snapshot_decode((const uint8_t *)answer->data + 3, answer->len - 3, &summary,
				&diag));
	summary_done(&summary);
}

static void check_answer(const struct bytes *answer)
{
	const char *text = (const char *)answer->data;

	assert(!answer->failed && answer->len >= 3);
	if (!memcmp(text, "ok\n", 3)) {
		if (answer->len > 3)
			check_snapshot(answer);
		return;
	}
	assert(!memcmp(text, "error ", 6));
	for (size_t i = 0; i < answer->len - 1; i++)
		assert((unsigned char)text[i] >= ' ' && text[i] != 0x7f);
	assert(text[answer->len - 1] == '\n');
}

static void ask(struct weirfs *fs, char *line)
{
	struct bytes answer = {0};

	control_answer(fs, line, &answer);
	check_answer(&answer);
	bytes_done(&answer);
	log_set_level(LOG_LEVEL_ERROR);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct weirfs fs;
	char line[CONTROL_REQUEST_MAX], off[] = "delay off";

	if (!fs.backing_name)
		set_up(&fs);
	if (size >= sizeof(line))
		return 0;
	if (size)
		memcpy(line, data, size);
	line[size] = '\0';
	line[strcspn(line, "\n")] = '\0';
	log_set_level(LOG_LEVEL_ERROR);
	ask(&fs, line);
	/* Nothing is left of it for the next. */
	ask(&fs, off);
	return 0;
}
