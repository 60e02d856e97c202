/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who owns what is made, and who may do what: uid, gid, supplementary groups, sticky, umask. */
#include "config.h"

#include "check.h"

#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>

static void owned_by(const char *name, unsigned int uid, unsigned int gid)
{
	struct stat st = stat_of(name);

	EQ(st.st_uid, uid);
	EQ(st.st_gid, gid);
}

static void bind_socket(const char *name)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int s = OK(socket(AF_UNIX, SOCK_STREAM, 0));

	strcpy(addr.sun_path, name);
	OK(bind(s, (const struct sockaddr *)&addr, sizeof(addr)));
	OK(close(s));
}

static void make_one_of_each(void)
{
	OK(close(OK(open("file", O_CREAT | O_WRONLY, 0644))));
	OK(mkdir("dir", 0755));
	OK(symlink("file", "symlink"));
	OK(mkfifo("fifo", 0644));
	OK(mknod("node", S_IFREG | 0644, 0));
	bind_socket("socket");
}

static const char *const each[] = {"file", "dir", "symlink", "fifo", "node", "socket"};

static void new_belong_to_caller(void)
{
	OK(chmod(".", 0777));
	AS(USER_A, USER_B, GROUP_C)
		make_one_of_each();
	for (size_t i = 0; i < sizeof(each) / sizeof(each[0]); i++)
		owned_by(each[i], USER_A, USER_B);
}

static void setgid_directory_gives_group(void)
{
	OK(chown(".", 0, GROUP_C));
	OK(chmod(".", 02777));
	AS(USER_A, USER_A, USER_A)
		make_one_of_each();
	for (size_t i = 0; i < sizeof(each) / sizeof(each[0]); i++)
		owned_by(each[i], USER_A, GROUP_C);
	EQ(mode_of("dir"), 02755);
	EQ(mode_of("file"), 0644);
}

static void setgid_of_new_file(void)
{
	OK(chown(".", 0, GROUP_C));
	OK(chmod(".", 02777));
	AS(USER_A, USER_A, USER_A)
		OK(close(OK(open("outside", O_CREAT | O_WRONLY, 02775))));
	AS(USER_A, USER_A, GROUP_C)
		OK(close(OK(open("inside", O_CREAT | O_WRONLY, 02775))));
	EQ(mode_of("outside"), 0755);
	EQ(mode_of("inside"), 02755);
}

static void supplementary_group_may_write(void)
{
	OK(mkdir("d", 0700));
	OK(chown("d", 0, GROUP_C));
	OK(chmod("d", 02775));
	AS(USER_A, USER_A, USER_A) {
		FAILS(EACCES, open("d/f", O_CREAT | O_WRONLY, 0644));
		FAILS(EACCES, mkdir("d/sub", 0755));
	}
	AS(USER_A, USER_A, USER_B, GROUP_C) {
		put("d/f", "x");
		OK(mkdir("d/sub", 0755));
		OK(rename("d/f", "d/sub/g"));
		OK(link("d/sub/g", "d/h"));
		OK(symlink("h", "d/s"));
		OK(unlink("d/sub/g"));
		OK(rmdir("d/sub"));
	}
	owned_by("d/h", USER_A, GROUP_C);
}

/* The kernel gives the daemon no list of groups: it has to be found for each caller. */
static void thirty_groups(void)
{
	OK(close(make("f", 0640)));
	OK(chown("f", 0, 40040));
	AS(USER_A, USER_A, 40011, 40012, 40013, 40014, 40015, 40016, 40017, 40018, 40019, 40020,
	   40021, 40022, 40023, 40024, 40025, 40026, 40027, 40028, 40029, 40030, 40031, 40032,
	   40033, 40034, 40035, 40036, 40037, 40038, 40039, 40040)
		OK(open("f", O_RDONLY));
	AS(USER_A, USER_A, 40011, 40012)
		FAILS(EACCES, open("f", O_RDONLY));
}

static void groups_changed_while_running(void)
{
	OK(mkdir("d", 0700));
	OK(chown("d", 0, GROUP_C));
	OK(chmod("d", 0770));
	AS(USER_A, USER_A, GROUP_C)
		put("d/a", "x");
	AS(USER_A, USER_A, USER_B)
		FAILS(EACCES, open("d/b", O_CREAT | O_WRONLY, 0644));
	AS(USER_A, USER_A, GROUP_C)
		put("d/b", "x");
}

static void mode_bits_decide(void)
{
	OK(close(make("owner", 0600)));
	OK(chown("owner", USER_A, GROUP_C));
	OK(close(make("not_owner", 0077)));
	OK(chown("not_owner", USER_A, GROUP_C));
	AS(USER_A, USER_A, GROUP_C) {
		OK(open("owner", O_RDWR));
		FAILS(EACCES, open("not_owner", O_RDONLY));
	}
	AS(USER_B, USER_B, GROUP_C) {
		FAILS(EACCES, open("owner", O_RDONLY));
		OK(open("not_owner", O_RDWR));
	}
	OK(chmod("not_owner", 0));
	OK(open("not_owner", O_RDWR));
}

static void directories_need_search(void)
{
	OK(mkdir("d", 0755));
	put("d/f", "x");
	OK(chown("d/f", USER_A, USER_A));
	OK(chmod("d", 0644));
	AS(USER_A, USER_A, USER_A) {
		FAILS(EACCES, open("d/f", O_RDONLY));
		FAILS(EACCES, access("d/f", F_OK));
		OK(open("d", O_RDONLY));
	}
	OK(chmod("d", 0711));
	AS(USER_A, USER_A, USER_A) {
		OK(open("d/f", O_RDONLY));
		FAILS(EACCES, open("d", O_RDONLY));
		FAILS(EACCES, unlink("d/f"));
		FAILS(EACCES, rename("d/f", "d/g"));
		FAILS(EACCES, link("d/f", "d/g"));
		FAILS(EACCES, mkfifo("d/p", 0600));
	}
}

static void sticky_directory(void)
{
	OK(chmod(".", 01777));
	AS(USER_A, USER_A, USER_A) {
		put("f", "x");
		OK(mkdir("d", 0777));
	}
	AS(USER_B, USER_B, USER_B) {
		put("mine", "y");
		FAILS(EPERM, unlink("f"));
		FAILS(EPERM, rename("f", "g"));
		FAILS(EPERM, rename("mine", "f"));
		FAILS(EPERM, rmdir("d"));
		OK(unlink("mine"));
	}
	AS(USER_A, USER_A, USER_A) {
		OK(rename("f", "g"));
		OK(unlink("g"));
		OK(rmdir("d"));
	}
}

static void owner_of_sticky_directory(void)
{
	OK(mkdir("d", 0700));
	OK(chown("d", USER_A, USER_A));
	OK(chmod("d", 01777));
	AS(USER_B, USER_B, USER_B)
		put("d/f", "x");
	AS(USER_A, USER_A, USER_A)
		OK(unlink("d/f"));
}

static void chmod_is_for_owners(void)
{
	OK(close(make("f", 0666)));
	OK(chown("f", USER_A, USER_A));
	AS(USER_B, USER_B, USER_A)
		FAILS(EPERM, chmod("f", 0600));
	AS(USER_A, USER_A, USER_A)
		OK(chmod("f", 0640));
	EQ(mode_of("f"), 0640);
}

static void chown_is_for_root(void)
{
	OK(close(make("f", 0644)));
	OK(chown("f", USER_A, USER_A));
	AS(USER_A, USER_A, GROUP_C) {
		FAILS(EPERM, chown("f", USER_B, (gid_t)-1));
		FAILS(EPERM, chown("f", (uid_t)-1, USER_B));
		OK(chown("f", USER_A, GROUP_C));
	}
	owned_by("f", USER_A, GROUP_C);
	AS(USER_B, USER_B, GROUP_C)
		FAILS(EPERM, chown("f", (uid_t)-1, USER_B));
	OK(symlink("f", "s"));
	OK(lchown("s", USER_B, USER_B));
	owned_by("s", USER_B, USER_B);
	owned_by("f", USER_A, GROUP_C);
}

static void umask_applies(void)
{
	umask(027);
	OK(close(OK(open("f", O_CREAT | O_WRONLY, 0666))));
	OK(mkdir("d", 0777));
	OK(mkfifo("p", 0666));
	OK(mknod("n", S_IFREG | 0777, 0));
	umask(0);
	OK(close(OK(open("g", O_CREAT | O_WRONLY, 0666))));
	EQ(mode_of("f"), 0640);
	EQ(mode_of("d"), 0750);
	EQ(mode_of("p"), 0640);
	EQ(mode_of("n"), 0750);
	EQ(mode_of("g"), 0666);
}

static void new_read_only_file_can_be_written(void)
{
	OK(chmod(".", 0777));
	AS(USER_A, USER_A, USER_A) {
		int fd = OK(open("f", O_CREAT | O_EXCL | O_WRONLY, 0400));

		EQ(OK(write(fd, "x", 1)), 1);
		FAILS(EACCES, open("f", O_WRONLY));
		OK(fchmod(fd, 0));
		EQ(OK(write(fd, "y", 1)), 1);
	}
	EQ(stat_of("f").st_size, 2);
}

static void access_asks_real_ids(void)
{
	OK(close(make("f", 0600)));
	OK(close(make("x", 0644)));
	OK(access("f", R_OK | W_OK));
	FAILS(EACCES, access("x", X_OK));
	CHILD
	{
		OK(setresuid(USER_A, 0, 0));
		FAILS(EACCES, access("f", R_OK));
		OK(faccessat(AT_FDCWD, "f", R_OK, AT_EACCESS));
	}
	FAILS(ENOENT, access("none", F_OK));
}

static void truncate_needs_write(void)
{
	put("f", "data");
	OK(chmod("f", 0444));
	AS(USER_A, USER_A, USER_A) {
		FAILS(EACCES, truncate("f", 0));
		FAILS(EACCES, open("f", O_RDONLY | O_TRUNC));
	}
	EQ(stat_of("f").st_size, 4);
}

const struct check checks_owner[] = {
	{"new files, directories and nodes belong to the caller", new_belong_to_caller, true},
	{"a setgid directory gives its group to what is made in it", setgid_directory_gives_group,
	 true},
	{"a new setgid file keeps the bit only for members of the group", setgid_of_new_file, true},
	{"a supplementary group lets its members write", supplementary_group_may_write, true},
	{"the thirtieth supplementary group counts too", thirty_groups, true},
	{"a change of the caller's groups is seen at once", groups_changed_while_running, true},
	{"owner, group and other bits decide, in this order", mode_bits_decide, true},
	{"directories need search and write permission", directories_need_search, true},
	{"in a sticky directory only owners remove and rename", sticky_directory, true},
	{"the owner of a sticky directory removes what others made", owner_of_sticky_directory,
	 true},
	{"chmod is for the owner", chmod_is_for_owners, true},
	{"chown is for root, chgrp for members of the group", chown_is_for_root, true},
	{"the umask applies to everything that is made", umask_applies, false},
	{"a new file without write permission is open for writing",
	 new_read_only_file_can_be_written, true},
	{"access asks the real ids, AT_EACCESS the effective ones", access_asks_real_ids, true},
	{"truncation needs write permission", truncate_needs_write, true},
	{NULL, NULL, false},
};
