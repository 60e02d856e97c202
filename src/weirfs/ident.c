// SPDX-License-Identifier: GPL-2.0-or-later
/* Acting as the caller, with as few system calls as the change from the one before needs. */
#include "config.h"

#include "weirfs/ident.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/cleanup.h"

#define GROUPS_MAX 256

struct capabilities {
	uint32_t effective[2];
	uint32_t permitted[2];
	uint32_t inheritable[2];
};

/* What this thread acts as. */
static _Thread_local struct {
	bool ready;
	enum identity identity;
	uid_t uid;
	gid_t gid;
	mode_t umask;
	bool limited;             /* without CAP_FSETID and CAP_SYS_RESOURCE */
	struct capabilities caps; /* all that the daemon was given */
} self;

static int capabilities_call(long number, struct capabilities *caps)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2];
	int err;

	for (int i = 0; i < 2; i++) {
		data[i].effective = caps->effective[i];
		data[i].permitted = caps->permitted[i];
		data[i].inheritable = caps->inheritable[i];
	}
	err = (int)syscall(number, &header, data);
	for (int i = 0; i < 2; i++) {
		caps->effective[i] = data[i].effective;
		caps->permitted[i] = data[i].permitted;
		caps->inheritable[i] = data[i].inheritable;
	}
	return err;
}

static bool has_cap(const struct capabilities *caps, unsigned int cap)
{
	return caps->effective[cap / 32] & (1u << (cap % 32));
}

bool ident_thread_ready(void)
{
	return self.ready;
}

bool ident_possible(void)
{
	struct capabilities caps = {{0}, {0}, {0}};

	if (capabilities_call(SYS_capget, &caps))
		return false;
	return has_cap(&caps, CAP_SETUID) && has_cap(&caps, CAP_SETGID) &&
	       has_cap(&caps, CAP_DAC_OVERRIDE) && has_cap(&caps, CAP_CHOWN) &&
	       has_cap(&caps, CAP_FOWNER);
}

static void assume_capabilities(bool limited)
{
	struct capabilities caps = self.caps;

	if (limited) {
		caps.effective[0] &= ~(1u << CAP_FSETID);
		caps.effective[0] &= ~(1u << CAP_SYS_RESOURCE);
	}
	capabilities_call(SYS_capset, &caps);
	self.limited = limited;
}

void ident_thread_init(enum identity identity)
{
	memset(&self, 0, sizeof(self));
	self.ready = true;
	self.identity = identity;
	self.uid = geteuid();
	self.gid = getegid();
	capabilities_call(SYS_capget, &self.caps);
	if (identity != IDENTITY_NONE) {
		/* It begins as whatever the thread that made it was acting as. */
		syscall(SYS_setfsgid, self.gid);
		syscall(SYS_setfsuid, self.uid);
		memcpy(self.caps.effective, self.caps.permitted, sizeof(self.caps.effective));
		assume_capabilities(false);
	}
	/* The umask belongs to what CLONE_FS shares. It stays 0 unless a caller's is taken over. */
	if (!unshare(CLONE_FS))
		umask(0);
}

/* Reads "Groups:" of a thread. Returns how many, 0 when it can't be read. */
static int read_groups(pid_t pid, gid_t groups[GROUPS_MAX])
{
	char path[48], text[8192];
	const char *at;
	scoped_fd int fd = -1;
	ssize_t len;
	int count = 0;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	len = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (len <= 0)
		return 0;
	text[len] = '\0';
	at = strstr(text, "\nGroups:");
	for (at = at ? at + 8 : ""; count < GROUPS_MAX; count++) {
		char *end;
		unsigned long gid;

		while (*at == ' ' || *at == '\t')
			at++;
		gid = strtoul(at, &end, 10);
		if (end == at)
			break;
		groups[count] = (gid_t)gid;
		at = end;
	}
	return count;
}

static void assume_groups(const struct caller *caller)
{
	gid_t groups[GROUPS_MAX];
	int count = caller->pid ? read_groups(caller->pid, groups) : 0;

	/* The C library's call would change every thread; this one is ours alone. */
	syscall(SYS_setgroups, (size_t)count, groups);
}

/*
 * Reading somebody's groups costs more than most operations. Locally they decide nothing for root
 * with all its capabilities; a server that gets them judges for itself.
 */
static bool needs_groups(unsigned int need, bool limited)
{
	if (self.identity == IDENTITY_FULL && !(need & IDENT_OPEN))
		return true;
	return (need & IDENT_GROUPS) &&
	       (limited || self.identity == IDENTITY_FULL || !has_cap(&self.caps, CAP_FSETID));
}

void ident_assume(const struct caller *caller, unsigned int need)
{
	bool limited = caller->uid != 0 || (need & IDENT_KILL);

	if ((need & IDENT_UMASK) && caller->umask != self.umask) {
		umask(caller->umask);
		self.umask = caller->umask;
	}
	if (self.identity == IDENTITY_NONE ||
	    (need == IDENT_NONE && self.identity == IDENTITY_LOCAL))
		return;
	if (caller->gid != self.gid)
		syscall(SYS_setfsgid, caller->gid);
	if (caller->uid != self.uid)
		syscall(SYS_setfsuid, caller->uid);
	/* Changing the uid between 0 and others makes the kernel drop or raise capabilities. */
	if (limited != self.limited || !caller->uid != !self.uid)
		assume_capabilities(limited);
	if (needs_groups(need, limited))
		assume_groups(caller);
	self.uid = caller->uid;
	self.gid = caller->gid;
}
