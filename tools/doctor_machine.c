// SPDX-License-Identifier: GPL-2.0-or-later
/* The machine's part of `weir doctor`. */
#include "config.h"

#include "tools/doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "core/cleanup.h"
#include "tools/features.h"

#define DEVICE "/dev/fuse"
#define CONF "/etc/fuse.conf"
#define URING "/sys/module/fuse/parameters/enable_uring"
#define CAP_SYS_ADMIN_BIT 21
#define FILES_WISHED 4096

static void check_device(struct report *report)
{
	scoped_fd int fd = open(DEVICE, O_RDWR | O_CLOEXEC);
	const char *fix = "see dmesg";

	if (fd >= 0) {
		report_add(report, VERDICT_OK, DEVICE, NULL, "is there and opens");
		return;
	}
	switch (errno) {
	case ENOENT:
	case ENODEV:
	case ENXIO:
		fix = "modprobe fuse; in a container: --device " DEVICE;
		break;
	case EPERM:
		fix = "the device cgroup forbids it: --device " DEVICE " (docker, podman), "
		      "DeviceAllow=" DEVICE " rw (systemd), a device plugin (Kubernetes)";
		break;
	case EACCES:
		fix = "chmod 666 " DEVICE ", or run as root";
		break;
	default:
		break;
	}
	report_add(report, VERDICT_FAIL, DEVICE, fix, "%s", strerror(errno));
}

static bool has_sys_admin(void)
{
	FILE *in = fopen("/proc/self/status", "re");
	uint64_t effective = 0;
	char line[256];

	while (in && fgets(line, sizeof(line), in)) {
		if (!strncmp(line, "CapEff:", 7))
			effective = strtoull(line + 7, NULL, 16);
	}
	if (in)
		fclose(in);
	return effective >> CAP_SYS_ADMIN_BIT & 1;
}

static void check_privilege(struct report *report)
{
	if (has_sys_admin())
		report_add(report, VERDICT_OK, "mounting", NULL,
			   "may mount by itself (CAP_SYS_ADMIN)");
	else if (geteuid() == 0)
		report_add(report, VERDICT_FAIL, "mounting",
			   "in a container: --cap-add SYS_ADMIN (docker on an AppArmor host also "
			   "--security-opt apparmor=unconfined)",
			   "root, but without CAP_SYS_ADMIN");
	else
		report_add(report, VERDICT_NOTE, "mounting", NULL,
			   "as a user: through fusermount3, over directories of one's own");
}

/* Finds a program as execvp() would. */
static char *find_program(const char *name)
{
	const char *path = getenv("PATH");
	scoped_free char *copy = strdup(path && *path ? path : "/usr/bin:/bin");
	char *next = copy, *directory, *full;

	while (next && (directory = strsep(&next, ":"))) {
		if (asprintf(&full, "%s/%s", directory, name) < 0)
			return NULL;
		if (!access(full, X_OK))
			return full;
		free(full);
	}
	return NULL;
}

static void check_helper(struct report *report)
{
	/* Who may mount by himself needs it only to unmount as another user. */
	enum verdict severity = has_sys_admin() ? VERDICT_NOTE : VERDICT_FAIL;
	scoped_free char *program = find_program("fusermount3");
	struct statvfs fs;
	struct stat st;

	if (!program || stat(program, &st)) {
		report_add(report, severity, "fusermount3", "apt install fuse3 (dnf install fuse3)",
			   "not installed");
		return;
	}
	if (!(st.st_mode & S_ISUID) || st.st_uid != 0)
		report_add(report, severity, "fusermount3",
			   "chown root: and chmod u+s, or reinstall fuse3",
			   "%s is not set-uid root", program);
	else if (!statvfs(program, &fs) && (fs.f_flag & ST_NOSUID))
		report_add(report, severity, "fusermount3",
			   "install it on a file system without nosuid",
			   "%s is on a nosuid file system", program);
	else
		report_add(report, VERDICT_OK, "fusermount3", NULL, "%s, set-uid root", program);
}

static bool has_line(const char *file, const char *wanted)
{
	FILE *in = fopen(file, "re");
	char line[512];
	bool found = false;

	while (in && !found && fgets(line, sizeof(line), in)) {
		const char *at = line + strspn(line, " \t");
		size_t len = strlen(wanted);

		found = !strncmp(at, wanted, len) && !at[len + strspn(at + len, " \t\r\n")];
	}
	if (in)
		fclose(in);
	return found;
}

static void check_allow_other(struct report *report)
{
	if (has_line(CONF, "user_allow_other"))
		report_add(report, VERDICT_OK, "allow_other", NULL, "user_allow_other is in " CONF);
	else if (geteuid() == 0)
		report_add(report, VERDICT_OK, "allow_other", NULL,
			   "root needs no user_allow_other in " CONF);
	else
		report_add(report, VERDICT_NOTE, "allow_other",
			   "a line user_allow_other in " CONF " (as root)",
			   "only you will see your mount: users may not ask for allow_other");
}

static void check_kernel(struct report *report)
{
	static const char features[] = FUSE_FEATURES;
	FILE *in = fopen(URING, "re");
	struct utsname name;
	int value = in ? fgetc(in) : EOF;

	if (in)
		fclose(in);
	if (!uname(&name))
		report_add(report, VERDICT_OK, "kernel", NULL, "%s %s", name.sysname, name.release);
	if (value == 'Y' || value == '1')
		report_add(report, VERDICT_OK, "io_uring", NULL, "requests may go over io_uring");
	else if (value != EOF)
		report_add(report, VERDICT_NOTE, "io_uring", "echo Y > " URING " (as root)",
			   "the kernel can, but it is switched off");
	else
		report_add(report, VERDICT_NOTE, "io_uring", NULL,
			   "this kernel can't carry requests over it (since Linux 6.14)");
	report_add(report, features[0] ? VERDICT_OK : VERDICT_NOTE, "libfuse",
		   features[0] ? NULL : "build against libfuse 3.17 or later to have them",
		   "weir was built against one with:%s",
		   features[0] ? features : " none of its optional features");
}

static void check_limits(struct report *report)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	if (limit.rlim_max == RLIM_INFINITY)
		report_add(report, VERDICT_OK, "descriptors", NULL, "not limited");
	else if (limit.rlim_max >= FILES_WISHED)
		report_add(report, VERDICT_OK, "descriptors", NULL, "up to %ju",
			   (uintmax_t)limit.rlim_max);
	else
		report_add(report, VERDICT_NOTE, "descriptors",
			   "ulimit -Hn, LimitNOFILE= (systemd), --ulimit nofile= (docker)",
			   "at most %ju: so many files can be open at a time",
			   (uintmax_t)limit.rlim_max);
}

void doctor_machine(struct report *report)
{
	check_device(report);
	check_privilege(report);
	check_helper(report);
	check_allow_other(report);
	check_kernel(report);
	check_limits(report);
}
