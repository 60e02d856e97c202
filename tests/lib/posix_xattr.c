/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Extended attributes. */
#include "config.h"

#include "check.h"

#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/xattr.h>

static void need_user_xattrs(void)
{
	int fd = make_at(check_ref(), "probe", 0644);

	if (fsetxattr(fd, "user.probe", "x", 1, 0) != 0 && errno == EOPNOTSUPP)
		SKIP("the backing file system has no user attributes");
	OK(close(fd));
}

static void set_get_remove(void)
{
	char buf[64];

	need_user_xattrs();
	put("f", "x");
	FAILS(ENODATA, getxattr("f", "user.a", buf, sizeof(buf)));
	OK(setxattr("f", "user.a", "value", 5, 0));
	EQ(OK_LONG(getxattr("f", "user.a", buf, sizeof(buf))), 5);
	SAME(buf, "value", 5);
	EQ(OK_LONG(getxattr("f", "user.a", NULL, 0)), 5);
	FAILS(ERANGE, getxattr("f", "user.a", buf, 3));
	FAILS(EEXIST, setxattr("f", "user.a", "v", 1, XATTR_CREATE));
	FAILS(ENODATA, setxattr("f", "user.b", "v", 1, XATTR_REPLACE));
	OK(setxattr("f", "user.a", "", 0, XATTR_REPLACE));
	EQ(OK_LONG(getxattr("f", "user.a", buf, sizeof(buf))), 0);
	OK(removexattr("f", "user.a"));
	FAILS(ENODATA, removexattr("f", "user.a"));
	FAILS(ENODATA, getxattr("f", "user.a", buf, sizeof(buf)));
}

static bool in_list(const char *list, long len, const char *name)
{
	for (const char *p = list; p < list + len; p += strlen(p) + 1)
		if (strcmp(p, name) == 0)
			return true;
	return false;
}

static void listing(void)
{
	char name[32], list[8192];
	long len;

	need_user_xattrs();
	put("f", "x");
	for (int i = 0; i < 40; i++) {
		snprintf(name, sizeof(name), "user.number%d", i);
		OK(setxattr("f", name, name, strlen(name), 0));
	}
	len = OK_LONG(listxattr("f", NULL, 0));
	EQ(OK_LONG(listxattr("f", list, sizeof(list))), len);
	for (int i = 0; i < 40; i++) {
		snprintf(name, sizeof(name), "user.number%d", i);
		TRUE(in_list(list, len, name));
	}
	FAILS(ERANGE, listxattr("f", list, 10));
	OK(removexattr("f", "user.number3"));
	len = OK_LONG(listxattr("f", list, sizeof(list)));
	TRUE(!in_list(list, len, "user.number3"));
}

static void on_all_kinds(void)
{
	char buf[16];

	need_user_xattrs();
	OK(mkdir("d", 0755));
	OK(symlink("d", "s"));
	OK(mkfifo("p", 0644));
	OK(setxattr("d", "user.d", "dir", 3, 0));
	EQ(OK_LONG(getxattr("s", "user.d", buf, sizeof(buf))), 3);
	FAILS(EPERM, lsetxattr("s", "user.s", "x", 1, 0));
	FAILS(EPERM, setxattr("p", "user.p", "x", 1, 0));
	FAILS(ENODATA, lgetxattr("s", "user.d", buf, sizeof(buf)));
}

static void sizes_as_native(void)
{
	static const size_t sizes[] = {1, 255, 1000, 3900, 4096, 20000, 65536};
	char *value = need_memory(65537), *got = need_memory(65537);

	need_user_xattrs();
	put("f", "x");
	put_at(check_ref(), "f", "x");
	fill(value, 65537, 3);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		int fd = OK(openat(check_ref(), "f", O_RDWR));
		int err = fsetxattr(fd, "user.v", value, sizes[i], 0) == 0 ? 0 : errno;

		OK(close(fd));
		if (err) {
			FAILS(err, setxattr("f", "user.v", value, sizes[i], 0));
			continue;
		}
		OK(setxattr("f", "user.v", value, sizes[i], 0));
		EQ(OK_LONG(getxattr("f", "user.v", got, 65537)), sizes[i]);
		SAME(got, value, sizes[i]);
	}
	FAILS(E2BIG, setxattr("f", "user.v", value, 65537, 0));
	free(value);
	free(got);
}

static void name_spaces(void)
{
	struct vfs_cap_data cap = {.magic_etc = VFS_CAP_REVISION_2};
	char name[300], buf[8];

	need_user_xattrs();
	put("f", "x");
	OK(setxattr("f", "trusted.t", "root", 4, 0));
	OK(chmod("f", 0666));
	AS(USER_A, USER_A, USER_A) {
		FAILS(ENODATA, getxattr("f", "trusted.t", buf, sizeof(buf)));
		FAILS(EPERM, setxattr("f", "trusted.t", "x", 1, 0));
		OK(setxattr("f", "user.u", "x", 1, 0));
		FAILS(EPERM, setxattr("f", "security.capability", &cap, XATTR_CAPS_SZ_2, 0));
	}
	FAILS(EOPNOTSUPP, setxattr("f", "nonsense.x", "x", 1, 0));
	memset(name, 'n', sizeof(name));
	memcpy(name, "user.", 5);
	name[256] = '\0';
	FAILS(ERANGE, setxattr("f", name, "x", 1, 0));
	name[255] = '\0';
	OK(setxattr("f", name, "x", 1, 0));
}

static void permissions(void)
{
	char buf[8];

	need_user_xattrs();
	put("f", "x");
	OK(setxattr("f", "user.a", "v", 1, 0));
	OK(chmod("f", 0644));
	AS(USER_A, USER_A, USER_A) {
		EQ(OK_LONG(getxattr("f", "user.a", buf, sizeof(buf))), 1);
		FAILS(EACCES, setxattr("f", "user.a", "w", 1, 0));
		FAILS(EACCES, removexattr("f", "user.a"));
	}
	OK(chmod("f", 0600));
	AS(USER_A, USER_A, USER_A)
		FAILS(EACCES, getxattr("f", "user.a", buf, sizeof(buf)));
}

static void of_open_and_unlinked_files(void)
{
	char buf[8];
	int fd;

	need_user_xattrs();
	fd = make("f", 0644);
	OK(fsetxattr(fd, "user.a", "v", 1, 0));
	OK(link("f", "g"));
	EQ(OK_LONG(getxattr("g", "user.a", buf, sizeof(buf))), 1);
	OK(unlink("f"));
	OK(unlink("g"));
	EQ(OK_LONG(fgetxattr(fd, "user.a", buf, sizeof(buf))), 1);
	OK(fsetxattr(fd, "user.b", "w", 1, 0));
	OK(fremovexattr(fd, "user.a"));
	FAILS(ENODATA, fgetxattr(fd, "user.a", buf, sizeof(buf)));
}

static void move_ctime_only(void)
{
	struct stat st;

	need_user_xattrs();
	put("f", "x");
	OK(utimensat(AT_FDCWD, "f", (const struct timespec[2]){{9, 0}, {9, 0}}, 0));
	OK(setxattr("f", "user.a", "v", 1, 0));
	st = stat_of("f");
	EQ(st.st_mtime, 9);
	TRUE(st.st_ctime > 1000000);
}

const struct check checks_xattr[] = {
	{"attributes are set, read, replaced and removed", set_get_remove, false},
	{"attributes are listed completely", listing, false},
	{"directories have attributes, links and FIFOs have none", on_all_kinds, false},
	{"values are as long as the backing file system allows", sizes_as_native, false},
	{"name spaces are guarded", name_spaces, true},
	{"attributes need the file's permissions", permissions, true},
	{"open, linked and unlinked files have attributes", of_open_and_unlinked_files, false},
	{"an attribute moves the change time only", move_ctime_only, false},
	{NULL, NULL, false},
};
