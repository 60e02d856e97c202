/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * posixcheck [-ls] [-m PART-OF-NAME] DIR [REF]: does the file system of DIR behave as POSIX and
 * Linux say? TAP on stdout. -l lists directories of 20,000 names, not of 4,000. -s is for file
 * systems that refuse shared maps: what checks them has to fail so, and is skipped.
 *
 * REF is a directory of the file system that DIR passes through to. What file systems are free to
 * do differently is compared with it; everything else must hold on both, so that a run with DIR
 * alone on a native file system proves the checks themselves.
 */
#include "config.h"

#include "check.h"

#include <dirent.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/vfs.h>
#include <sys/wait.h>

#define FUSE_MAGIC 0x65735546
#define CHECK_SECONDS 60

static const struct check *const themes[] = {
	checks_owner,  checks_setid,   checks_acl,  checks_name,  checks_link,
	checks_rename, checks_special, checks_file, checks_alloc, checks_time,
	checks_dir,    checks_mmap,    checks_lock, checks_xattr,
};

struct place {
	char *path; /* absolute, of the check's directory */
	int fd;
};

static struct place under_test, reference;
static bool has_ref, large, no_shared;

int check_ref(void)
{
	return reference.fd;
}

int check_many(int n)
{
	return large ? n : n / 5;
}

bool check_shares_maps(void)
{
	return !no_shared;
}

bool check_has_ref(void)
{
	return has_ref;
}

const char *check_dir(void)
{
	return under_test.path;
}

bool check_on(long magic)
{
	struct statfs fs;

	OK(fstatfs(under_test.fd, &fs));
	return (long)fs.f_type == magic;
}

bool check_on_fuse(void)
{
	return check_on(FUSE_MAGIC);
}

/* Removes a tree, whatever its modes and however deep its path. */
static void wipe(int dirfd, const char *name)
{
	struct dirent *entry;
	DIR *dir;
	int fd;

	if (unlinkat(dirfd, name, 0) == 0 || errno == ENOENT ||
	    unlinkat(dirfd, name, AT_REMOVEDIR) == 0)
		return;
	if (fchmodat(dirfd, name, 0700, 0) != 0)
		return;
	fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir)
		return;
	while ((entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			wipe(fd, entry->d_name);
	closedir(dir);
	if (unlinkat(dirfd, name, AT_REMOVEDIR) != 0)
		printf("#   left behind: %s: %s\n", name, strerror(errno));
}

static void place_make(struct place *place, const char *base, const char *kind, unsigned int n)
{
	size_t len = strlen(base) + 32;

	place->path = need_memory(len);
	snprintf(place->path, len, "%s/%s-%u", base, kind, n);
	OK(mkdir(place->path, 0755));
	OK(chmod(place->path, 0755));
	place->fd = OK(open(place->path, O_RDONLY | O_DIRECTORY));
}

static void place_drop(struct place *place)
{
	close(place->fd);
	wipe(AT_FDCWD, place->path);
	free(place->path);
}

static _Noreturn void run_child(const struct check *check)
{
	umask(022);
	alarm(CHECK_SECONDS);
	OK(chdir(under_test.path));
	check->run();
	fflush(stdout);
	_exit(0);
}

/* Returns true unless the check failed. */
static bool run_one(const struct check *check, const char *dir, const char *ref, unsigned int n)
{
	bool passed;
	int status;
	pid_t pid;

	place_make(&under_test, dir, "check", n);
	place_make(&reference, ref, "ref", n);
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		setpgid(0, 0);
		run_child(check);
	}
	waitpid(pid, &status, 0);
	kill(-pid, SIGKILL);
	passed = WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 77);
	if (WIFSIGNALED(status))
		printf("#   ended by signal %d%s\n", WTERMSIG(status),
		       WTERMSIG(status) == SIGALRM ? " (it took too long)" : "");
	printf("%sok %u - %s%s\n", passed ? "" : "not ", n, check->name,
	       WIFEXITED(status) && WEXITSTATUS(status) == 77 ? " # SKIP" : "");
	fflush(stdout);
	place_drop(&reference);
	place_drop(&under_test);
	return passed;
}

static bool wanted(const struct check *check, const char *pattern)
{
	return (geteuid() == 0 || !check->root) && (!pattern || strstr(check->name, pattern));
}

static unsigned int run_all(const char *dir, const char *ref, const char *pattern)
{
	unsigned int n = 0, failed = 0, planned = 0;

	for (size_t t = 0; t < sizeof(themes) / sizeof(themes[0]); t++)
		for (const struct check *c = themes[t]; c->name; c++)
			planned += wanted(c, pattern);
	printf("1..%u\n", planned);
	for (size_t t = 0; t < sizeof(themes) / sizeof(themes[0]); t++)
		for (const struct check *c = themes[t]; c->name; c++)
			if (wanted(c, pattern) && !run_one(c, dir, ref, ++n))
				failed++;
	printf("# %u of %u failed\n", failed, planned);
	return failed;
}

int main(int argc, char **argv)
{
	const char *pattern = NULL;
	char *dir, *ref;
	int option;

	while ((option = getopt(argc, argv, "lsm:")) != -1) {
		if (option == 'l')
			large = true;
		else if (option == 's')
			no_shared = true;
		else if (option == 'm')
			pattern = optarg;
		else
			return 2;
	}
	if (argc - optind < 1 || argc - optind > 2) {
		fprintf(stderr, "usage: posixcheck [-ls] [-m PART-OF-NAME] DIR [REF]\n");
		return 2;
	}
	dir = realpath(argv[optind], NULL);
	ref = realpath(argv[argc - 1], NULL);
	if (!dir || !ref) {
		perror("posixcheck");
		return 2;
	}
	has_ref = argc - optind == 2;
	signal(SIGPIPE, SIG_IGN);
	option = run_all(dir, ref, pattern) != 0;
	free(dir);
	free(ref);
	return option;
}
