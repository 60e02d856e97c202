/* SPDX-License-Identifier: GPL-2.0-or-later */
/* POSIX access control lists, through their raw extended attributes. */
#include "config.h"

#include "check.h"

#include <stdlib.h>
#include <sys/xattr.h>

#define ACCESS_ACL "system.posix_acl_access"
#define DEFAULT_ACL "system.posix_acl_default"
#define MAX_ENTRIES 8

/* The attribute's format: a version word, then one entry each (linux/posix_acl_xattr.h). */
enum {
	TAG_USER_OBJ = 1,
	TAG_USER = 2,
	TAG_GROUP_OBJ = 4,
	TAG_GROUP = 8,
	TAG_MASK = 16,
	TAG_OTHER = 32
};

struct acl_entry {
	uint16_t tag;
	uint16_t perm;
	uint32_t id;
};

struct acl {
	uint32_t version;
	struct acl_entry entries[MAX_ENTRIES];
};

#define NO_ID UINT32_MAX

static size_t acl_size(unsigned int n)
{
	return sizeof(uint32_t) + n * sizeof(struct acl_entry);
}

/* user::u, user:A:ua, group::g, group:C:gc, mask::m, other::o */
static size_t acl_fill(struct acl *acl, int u, int ua, int g, int gc, int m, int o)
{
	*acl = (struct acl){
		.version = 2,
		.entries =
			{
				{TAG_USER_OBJ, (uint16_t)u, NO_ID},
				{TAG_USER, (uint16_t)ua, USER_A},
				{TAG_GROUP_OBJ, (uint16_t)g, NO_ID},
				{TAG_GROUP, (uint16_t)gc, GROUP_C},
				{TAG_MASK, (uint16_t)m, NO_ID},
				{TAG_OTHER, (uint16_t)o, NO_ID},
			},
	};
	return acl_size(6);
}

static void need_acls(void)
{
	struct acl acl;
	size_t size = acl_fill(&acl, 7, 7, 5, 5, 7, 5);
	int fd = OK(openat(check_ref(), ".", O_RDONLY));

	if (fsetxattr(fd, DEFAULT_ACL, &acl, size, 0) != 0 && errno == EOPNOTSUPP)
		SKIP("the backing file system has no ACLs");
	OK(fremovexattr(fd, DEFAULT_ACL));
	OK(close(fd));
}

static void set_acl(const char *name, const char *kind, int u, int ua, int g, int gc, int m, int o)
{
	struct acl acl;
	size_t size = acl_fill(&acl, u, ua, g, gc, m, o);

	OK(setxattr(name, kind, &acl, size, 0));
}

static void has_acl(const char *name, const char *kind, int u, int ua, int g, int gc, int m, int o)
{
	struct acl want, got;
	size_t size = acl_fill(&want, u, ua, g, gc, m, o);

	EQ(OK_LONG(getxattr(name, kind, &got, sizeof(got))), size);
	SAME(&got, &want, size);
}

static void named_user(void)
{
	need_acls();
	OK(close(make("f", 0600)));
	set_acl("f", ACCESS_ACL, 6, 6, 0, 0, 6, 0);
	AS(USER_A, USER_A, USER_A)
		OK(open("f", O_RDWR));
	AS(USER_B, USER_B, USER_B)
		FAILS(EACCES, open("f", O_RDONLY));
	set_acl("f", ACCESS_ACL, 6, 4, 0, 0, 6, 6);
	AS(USER_A, USER_A, USER_A) {
		OK(open("f", O_RDONLY));
		FAILS(EACCES, open("f", O_WRONLY));
		FAILS(EACCES, truncate("f", 0));
	}
	AS(USER_B, USER_B, USER_B)
		OK(open("f", O_RDWR));
}

static void named_group(void)
{
	need_acls();
	OK(mkdir("d", 0700));
	set_acl("d", ACCESS_ACL, 7, 0, 0, 7, 7, 0);
	AS(USER_B, USER_B, GROUP_C)
		put("d/f", "x");
	AS(USER_B, USER_B, USER_B)
		FAILS(EACCES, open("d/g", O_CREAT | O_WRONLY, 0644));
	AS(USER_A, USER_A, GROUP_C)
		FAILS(EACCES, open("d/g", O_CREAT | O_WRONLY, 0644));
}

static void mask_limits(void)
{
	need_acls();
	OK(close(make("f", 0600)));
	set_acl("f", ACCESS_ACL, 6, 7, 7, 7, 4, 0);
	EQ(mode_of("f"), 0640);
	AS(USER_A, USER_A, USER_A) {
		OK(open("f", O_RDONLY));
		FAILS(EACCES, open("f", O_WRONLY));
	}
	OK(chmod("f", 0660));
	has_acl("f", ACCESS_ACL, 6, 7, 7, 7, 6, 0);
	AS(USER_A, USER_A, USER_A)
		OK(open("f", O_RDWR));
	OK(chmod("f", 0600));
	AS(USER_A, USER_A, USER_A)
		FAILS(EACCES, open("f", O_RDONLY));
}

static void default_is_inherited(void)
{
	need_acls();
	OK(mkdir("d", 0755));
	set_acl("d", DEFAULT_ACL, 7, 7, 5, 7, 7, 5);
	umask(0);
	OK(close(OK(open("d/f", O_CREAT | O_WRONLY, 0666))));
	has_acl("d/f", ACCESS_ACL, 6, 7, 5, 7, 6, 4);
	OK(mkdir("d/sub", 0777));
	has_acl("d/sub", ACCESS_ACL, 7, 7, 5, 7, 7, 5);
	has_acl("d/sub", DEFAULT_ACL, 7, 7, 5, 7, 7, 5);
	OK(mknod("d/fifo", S_IFIFO | 0660, 0));
	has_acl("d/fifo", ACCESS_ACL, 6, 7, 5, 7, 6, 0);
	OK(symlink("f", "d/s"));
	AS(USER_A, USER_A, USER_A)
		OK(open("d/f", O_RDWR));
}

static void default_beats_umask(void)
{
	need_acls();
	OK(mkdir("d", 0777));
	OK(chmod("d", 0777));
	set_acl("d", DEFAULT_ACL, 7, 7, 7, 7, 7, 7);
	AS(USER_B, USER_B, USER_B) {
		umask(077);
		OK(close(OK(open("d/f", O_CREAT | O_WRONLY, 0666))));
		OK(mkdir("d/sub", 0777));
		OK(mkfifo("d/p", 0666));
	}
	EQ(mode_of("d/f"), 0666);
	EQ(mode_of("d/sub"), 0777);
	EQ(mode_of("d/p"), 0666);
	EQ(stat_of("d/f").st_uid, USER_B);
	umask(077);
	OK(close(OK(open("plain", O_CREAT | O_WRONLY, 0666))));
	EQ(mode_of("plain"), 0600);
}

static void removal(void)
{
	struct acl acl;

	need_acls();
	OK(close(make("f", 0600)));
	set_acl("f", ACCESS_ACL, 6, 6, 0, 0, 6, 0);
	OK(removexattr("f", ACCESS_ACL));
	FAILS(ENODATA, getxattr("f", ACCESS_ACL, &acl, sizeof(acl)));
	AS(USER_A, USER_A, USER_A)
		FAILS(EACCES, open("f", O_RDONLY));
	FAILS(EACCES, setxattr("f", DEFAULT_ACL, &acl, acl_fill(&acl, 7, 7, 5, 5, 7, 5), 0));
}

static void only_the_owner_sets(void)
{
	struct acl acl;
	size_t size = acl_fill(&acl, 6, 6, 4, 4, 6, 4);

	need_acls();
	OK(close(make("f", 0666)));
	OK(chown("f", USER_A, USER_A));
	AS(USER_B, USER_B, USER_B)
		FAILS(EPERM, setxattr("f", ACCESS_ACL, &acl, size, 0));
	AS(USER_A, USER_A, USER_A)
		OK(setxattr("f", ACCESS_ACL, &acl, size, 0));
	acl.entries[0].tag = 77;
	FAILS(EINVAL, setxattr("f", ACCESS_ACL, &acl, size, 0));
}

/* An ACL that says no more than the mode becomes the mode, and may drop setgid on the way. */
static void minimal_acl_is_the_mode(void)
{
	struct acl acl = {
		.version = 2,
		.entries = {{TAG_USER_OBJ, 7, NO_ID},
			    {TAG_GROUP_OBJ, 5, NO_ID},
			    {TAG_OTHER, 1, NO_ID}},
	};

	need_acls();
	OK(close(make("f", 0600)));
	OK(setxattr("f", ACCESS_ACL, &acl, acl_size(3), 0));
	EQ(mode_of("f"), 0751);
	FAILS(ENODATA, getxattr("f", ACCESS_ACL, &acl, sizeof(acl)));
	OK(chown("f", USER_A, GROUP_C));
	OK(chmod("f", 02755));
	AS(USER_A, USER_A, USER_A)
		OK(setxattr("f", ACCESS_ACL, &acl, acl_size(3), 0));
	EQ(mode_of("f"), 0751);
}

const struct check checks_acl[] = {
	{"an ACL's named user gets what it says", named_user, true},
	{"an ACL's named group gets what it says", named_group, true},
	{"the mask limits, and chmod sets the mask", mask_limits, true},
	{"a default ACL is inherited by everything that is made", default_is_inherited, true},
	{"with a default ACL the umask does not apply", default_beats_umask, true},
	{"an ACL that is removed grants nothing more", removal, true},
	{"only the owner sets an ACL, and only a valid one", only_the_owner_sets, true},
	{"an ACL without named entries becomes the mode", minimal_acl_is_the_mode, true},
	{NULL, NULL, false},
};
