// SPDX-License-Identifier: GPL-2.0-or-later
/* Arguments of calls as strace prints them. */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "tools/import_strace.h"

struct word {
	const char *name;
	uint64_t value;
};

#define WORD(name)                      \
	{                               \
#name, (uint64_t)(name) \
	}
/* On 64-bit systems glibc says 0, because the kernel adds it; strace shows what was passed. */
#define LARGEFILE 0100000

static const struct word words[] = {
	WORD(O_RDONLY),
	WORD(O_WRONLY),
	WORD(O_RDWR),
	WORD(O_CREAT),
	WORD(O_EXCL),
	WORD(O_NOCTTY),
	WORD(O_TRUNC),
	WORD(O_APPEND),
	WORD(O_NONBLOCK),
	WORD(O_DSYNC),
	WORD(O_SYNC),
	WORD(O_ASYNC),
	WORD(O_DIRECT),
	{"O_LARGEFILE", LARGEFILE},
	WORD(O_DIRECTORY),
	WORD(O_NOFOLLOW),
	WORD(O_NOATIME),
	WORD(O_CLOEXEC),
	WORD(O_PATH),
	WORD(O_TMPFILE),
	{"O_ACCMODE", 3},
	{"FD_CLOEXEC", FD_CLOEXEC},
	WORD(S_IFREG),
	WORD(S_IFDIR),
	WORD(S_IFLNK),
	WORD(S_IFIFO),
	WORD(S_IFSOCK),
	WORD(S_IFCHR),
	WORD(S_IFBLK),
	WORD(S_ISUID),
	WORD(S_ISGID),
	WORD(S_ISVTX),
	WORD(AT_REMOVEDIR),
	WORD(AT_SYMLINK_NOFOLLOW),
	WORD(AT_SYMLINK_FOLLOW),
	WORD(AT_EMPTY_PATH),
	WORD(AT_EACCESS),
	WORD(AT_NO_AUTOMOUNT),
	{"AT_STATX_SYNC_AS_STAT", 0},
	{"AT_STATX_FORCE_SYNC", 0x2000},
	{"AT_STATX_DONT_SYNC", 0x4000},
	{"RENAME_NOREPLACE", 1},
	{"RENAME_EXCHANGE", 2},
	{"RENAME_WHITEOUT", 4},
	WORD(FALLOC_FL_KEEP_SIZE),
	WORD(FALLOC_FL_PUNCH_HOLE),
	{"FALLOC_FL_NO_HIDE_STALE", 4},
	WORD(FALLOC_FL_COLLAPSE_RANGE),
	WORD(FALLOC_FL_ZERO_RANGE),
	WORD(FALLOC_FL_INSERT_RANGE),
	WORD(FALLOC_FL_UNSHARE_RANGE),
	WORD(LOCK_SH),
	WORD(LOCK_EX),
	WORD(LOCK_UN),
	WORD(LOCK_NB),
	WORD(XATTR_CREATE),
	WORD(XATTR_REPLACE),
	WORD(F_OK),
	WORD(R_OK),
	WORD(W_OK),
	WORD(X_OK),
	WORD(SEEK_SET),
	WORD(SEEK_CUR),
	WORD(SEEK_END),
	WORD(SEEK_DATA),
	WORD(SEEK_HOLE),
	{"SPLICE_F_MOVE", 1},
	{"SPLICE_F_NONBLOCK", 2},
	{"SPLICE_F_MORE", 4},
	{"RWF_HIPRI", 1},
	{"RWF_DSYNC", 2},
	{"RWF_SYNC", 4},
	{"RWF_NOWAIT", 8},
	{"RWF_APPEND", 16},
	{"CLOSE_RANGE_UNSHARE", 2},
	{"CLOSE_RANGE_CLOEXEC", 4},
};

static const struct word errors[] = {
	WORD(EPERM),
	WORD(ENOENT),
	WORD(ESRCH),
	WORD(EINTR),
	WORD(EIO),
	WORD(ENXIO),
	WORD(E2BIG),
	WORD(EBADF),
	WORD(EAGAIN),
	WORD(ENOMEM),
	WORD(EACCES),
	WORD(EFAULT),
	WORD(EBUSY),
	WORD(EEXIST),
	WORD(EXDEV),
	WORD(ENODEV),
	WORD(ENOTDIR),
	WORD(EISDIR),
	WORD(EINVAL),
	WORD(ENFILE),
	WORD(EMFILE),
	WORD(ENOTTY),
	WORD(ETXTBSY),
	WORD(EFBIG),
	WORD(ENOSPC),
	WORD(ESPIPE),
	WORD(EROFS),
	WORD(EMLINK),
	WORD(EPIPE),
	WORD(EDOM),
	WORD(ERANGE),
	WORD(EDEADLK),
	WORD(ENAMETOOLONG),
	WORD(ENOLCK),
	WORD(ENOSYS),
	WORD(ENOTEMPTY),
	WORD(ELOOP),
	WORD(ENODATA),
	WORD(ETIME),
	WORD(EOVERFLOW),
	WORD(EILSEQ),
	WORD(EOPNOTSUPP),
	WORD(ETIMEDOUT),
	WORD(ESTALE),
	WORD(EDQUOT),
	WORD(ECANCELED),
	WORD(EREMOTEIO),
	WORD(EUCLEAN),
	WORD(ENOMEDIUM),
	WORD(EBADMSG),
	WORD(EPROTO),
	WORD(ENOBUFS),
	WORD(ECONNREFUSED),
	WORD(ECONNRESET),
	WORD(ENOTCONN),
	{"ENOTSUP", EOPNOTSUPP},
	{"EWOULDBLOCK", EAGAIN},
	{"EDEADLOCK", EDEADLK},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool find_word(const struct word *table, size_t count, struct slice name,
		      uint64_t *ret_value)
{
	for (size_t i = 0; i < count; i++) {
		if (slice_is(name, table[i].name)) {
			*ret_value = table[i].value;
			return true;
		}
	}
	return false;
}

uint16_t strace_errno(struct slice name)
{
	uint64_t value;

	/* One that isn't in the table is no error of a file system. */
	return find_word(errors, COUNT(errors), name, &value) ? (uint16_t)value : EINVAL;
}

struct slice strace_arg(const struct strace_call *call, unsigned int index)
{
	return index < call->arg_count ? call->args[index] : (struct slice){"", 0};
}

/* Up to three octal digits. */
static size_t take_octal(struct slice text, size_t at, uint8_t *ret_byte)
{
	unsigned int value = 0;
	size_t end = at + 3;

	while (at < text.len && at < end && text.at[at] >= '0' && text.at[at] <= '7')
		value = value * 8 + (unsigned int)(text.at[at++] - '0');
	*ret_byte = (uint8_t)value;
	return at;
}

static uint8_t hex_digit(char byte)
{
	return (uint8_t)(isdigit((unsigned char)byte) ? byte - '0' : (byte | 0x20) - 'a' + 10);
}

/* The byte of the escape behind the backslash at `at` - 1; returns where the text goes on. */
static size_t take_escape(struct slice text, size_t at, uint8_t *ret_byte)
{
	static const char names[] = "abtnvfr";
	const char *found;

	if (text.at[at] >= '0' && text.at[at] <= '7')
		return take_octal(text, at, ret_byte);
	if (text.at[at] == 'x' && at + 2 < text.len && isxdigit((unsigned char)text.at[at + 1]) &&
	    isxdigit((unsigned char)text.at[at + 2])) {
		*ret_byte = (uint8_t)(hex_digit(text.at[at + 1]) << 4 | hex_digit(text.at[at + 2]));
		return at + 3;
	}
	found = text.at[at] ? strchr(names, text.at[at]) : NULL;
	*ret_byte = found ? (uint8_t)("\a\b\t\n\v\f\r"[found - names]) : (uint8_t)text.at[at];
	return at + 1;
}

void strace_unescape(struct slice text, struct bytes *out)
{
	out->len = 0;
	for (size_t at = 0; at < text.len;) {
		uint8_t byte = (uint8_t)text.at[at++];

		if (byte == '\\' && at < text.len)
			at = take_escape(text, at, &byte);
		bytes_put(out, &byte, 1);
	}
}

int strace_string(struct slice text, struct bytes *out)
{
	size_t end = 1;

	if (text.len < 2 || text.at[0] != '"')
		return -EINVAL;
	while (end < text.len && text.at[end] != '"')
		end += text.at[end] == '\\' ? 2 : 1;
	if (end >= text.len)
		return -EINVAL;
	if (slice_begins(slice_from(text, end + 1), "..."))
		return -ENAMETOOLONG;
	strace_unescape((struct slice){text.at + 1, end - 1}, out);
	return out->failed ? -ENOMEM : 0;
}

int strace_descriptor(struct slice text, int32_t *ret_fd, struct slice *ret_what)
{
	size_t open = slice_find(text, "<"), close = slice_find_last(text, '>');
	struct slice number = slice_trim((struct slice){text.at, open});
	uint64_t fd;

	*ret_what = (struct slice){"", 0};
	if (open < text.len && close < text.len && close > open)
		*ret_what = (struct slice){text.at + open + 1, close - open - 1};
	if (slice_is(number, "AT_FDCWD")) {
		*ret_fd = STRACE_CWD;
		return 0;
	}
	if (slice_c_number(number, &fd))
		return -EINVAL;
	*ret_fd = fd <= INT32_MAX ? (int32_t)fd : -1;
	return 0;
}

int strace_flags(struct slice text, uint64_t *ret_flags)
{
	uint64_t flags = 0, value;
	struct slice part;

	/* A number may have a comment behind it. */
	text = slice_trim((struct slice){text.at, slice_find(text, "/*")});
	if (!text.len)
		return -EINVAL;
	while (slice_field(&text, '|', &part)) {
		if (!find_word(words, COUNT(words), part, &value) && slice_c_number(part, &value))
			return -EINVAL;
		flags |= value;
	}
	*ret_flags = flags;
	return 0;
}

struct slice strace_field(struct slice text, const char *key)
{
	size_t at = slice_find(text, key), len = 0;
	struct slice rest;

	if (at == text.len)
		return (struct slice){"", 0};
	rest = slice_from(text, at + strlen(key));
	while (len < rest.len && rest.at[len] != ',' && rest.at[len] != '}')
		len++;
	return slice_trim((struct slice){rest.at, len});
}

int strace_iov_bytes(struct slice text, uint64_t *ret_bytes)
{
	static const char key[] = "iov_len=";
	uint64_t sum = 0, len;

	if (slice_find(text, ", ...]") < text.len || slice_find(text, "[...") < text.len)
		return -EINVAL;
	while (slice_find(text, key) < text.len) {
		if (slice_uint(strace_field(text, key), &len) ||
		    __builtin_add_overflow(sum, len, &sum))
			return -EINVAL;
		text = slice_from(text, slice_find(text, key) + sizeof(key) - 1);
	}
	*ret_bytes = sum;
	return 0;
}
