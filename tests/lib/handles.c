/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * handles save FILE KEPT    keeps the file handle of FILE in the file KEPT
 * handles open KEPT DIR     opens it on the mount of DIR: prints the first bytes, or the error's
 * name
 */
#include "config.h"

#include <fcntl.h>
#include <unistd.h>

#include "tests/lib/tool.h"

struct kept {
	struct file_handle handle;
	unsigned char room[MAX_HANDLE_SZ];
};

static void save(const char *file, const char *to)
{
	struct kept kept = {.handle.handle_bytes = MAX_HANDLE_SZ};
	int fd, mount;

	must(name_to_handle_at(AT_FDCWD, file, &kept.handle, &mount, 0), file);
	fd = must(open(to, O_CREAT | O_TRUNC | O_WRONLY, 0600), to);
	must_long(write(fd, &kept, sizeof(kept)), to);
}

static void reopen(const char *from, const char *dir)
{
	char text[65] = "";
	struct kept kept;
	int fd = must(open(from, O_RDONLY), from);

	must_long(read(fd, &kept, sizeof(kept)), from);
	fd = open_by_handle_at(must(open(dir, O_RDONLY), dir), &kept.handle, O_RDONLY);
	if (fd < 0) {
		printf("%s\n", strerrorname_np(errno));
		return;
	}
	must_long(read(fd, text, sizeof(text) - 1), "read");
	printf("%s\n", text);
}

int main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	if (strcmp(argv[1], "save") == 0)
		save(argv[2], argv[3]);
	else
		reopen(argv[2], argv[3]);
	return 0;
}
