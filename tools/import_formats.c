// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of formats, and telling them by their first bytes. */
#include "config.h"

#include "tools/import_formats.h"

#include <ctype.h>
#include <string.h>

const struct import_format *const import_formats[] = {
#define X(id) &import_##id,
	IMPORT_FORMAT_TABLE(X)
#undef X
		NULL,
};

const struct import_format *import_find_format(const char *name)
{
	for (size_t i = 0; import_formats[i]; i++) {
		if (!strcmp(import_formats[i]->name, name))
			return import_formats[i];
	}
	return NULL;
}

/* The first line that is no comment and not blank; what follows stays in *rest. */
static struct slice first_line(struct slice *rest)
{
	while (rest->len) {
		struct slice line = {rest->at, slice_find(*rest, "\n")};

		*rest = slice_from(*rest, line.len + 1);
		line = slice_trim(line);
		if (line.len && line.at[0] != '#')
			return line;
	}
	return (struct slice){"", 0};
}

static bool is_number(struct slice text)
{
	uint64_t value;

	return !slice_scaled(text, 1, &value);
}

/* Columns of one letter each: n number, w word, a anything. */
static bool has_shape(struct slice line, char separator, const char *shape)
{
	struct slice field;

	for (; *shape; shape++) {
		if (!slice_field(&line, separator, &field))
			return false;
		if (*shape == 'n' && !is_number(field))
			return false;
		if (*shape == 'w' && (!field.len || !isalpha((unsigned char)field.at[0])))
			return false;
	}
	return !slice_field(&line, separator, &field);
}

/* pid, stamp or the call's name at once: "NAME(" before any other bracket or blank. */
static bool is_strace(struct slice line)
{
	struct slice word = slice_word(&line);
	size_t bracket, i = 0;

	if (slice_is(word, "[pid")) {
		slice_word(&line);
		word = slice_word(&line);
	}
	for (int numbers = 0; numbers < 2 && is_number(word); numbers++)
		word = slice_word(&line);
	bracket = slice_find(word, "(");
	if (!bracket || bracket == word.len)
		return slice_is(word, "+++") || slice_is(word, "---");
	for (; i < bracket; i++) {
		if (!islower((unsigned char)word.at[i]) && !isdigit((unsigned char)word.at[i]) &&
		    word.at[i] != '_')
			return false;
	}
	return true;
}

static bool is_blkparse(struct slice line)
{
	struct slice device = slice_word(&line), action;
	size_t comma = slice_find(device, ",");

	/* "  8,0" and "  8,0   ": the number behind the comma may be padded, not cut. */
	if (comma == device.len || !is_number((struct slice){device.at, comma}) ||
	    !is_number(slice_from(device, comma + 1)))
		return false;
	for (int i = 0; i < 4; i++) {
		if (!is_number(slice_word(&line)))
			return false;
	}
	action = slice_word(&line);
	return action.len >= 1 && action.len <= 2 && isalpha((unsigned char)action.at[0]);
}

static bool is_nfsdump(struct slice line)
{
	struct slice time = slice_word(&line), protocol, call;

	slice_word(&line);
	slice_word(&line);
	protocol = slice_word(&line);
	call = slice_word(&line);
	return is_number(time) && (slice_is(protocol, "T") || slice_is(protocol, "U")) &&
	       call.len == 2 && (call.at[0] == 'C' || call.at[0] == 'R') &&
	       (call.at[1] == '2' || call.at[1] == '3');
}

/* A FILETIME of this century has 18 digits. */
static bool is_msr(struct slice line)
{
	return slice_find(line, ",") == 18 && has_shape(line, ',', "nanwnnn");
}

static const struct import_format *guess_binary(struct slice head)
{
	static const char little[] = {0x07, 0x74, 0x61, 0x65}, big[] = {0x65, 0x61, 0x74, 0x07};

	if (head.len >= 4 && (!memcmp(head.at, little, 4) || !memcmp(head.at, big, 4)))
		return &import_blktrace;
	return NULL;
}

static const struct import_format *guess_by_title(struct slice head)
{
	if (slice_begins(head, "fio version "))
		return &import_iolog;
	if (slice_begins(head, "Input file ") && slice_find(head, ".blktrace.") < head.len)
		return &import_blkparse;
	if (slice_begins(head, "# Extent, type=") ||
	    slice_find(head, "\n# Extent, type=") < head.len)
		return &import_ds2txt;
	if (slice_begins(head, "# DXT") || slice_find(head, "\n# DXT") < head.len)
		return &import_dxt;
	if (slice_begins(head, "ENDTIME_us,TASK,PID,TYPE,BYTES,OFFSET_b,LATENCY_us,FILE"))
		return &import_ext4slower;
	if (slice_begins(head, "Timestamp,Response,IOType,LUN,Offset,Size"))
		return &import_systor;
	if (slice_begins(head, "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime"))
		return &import_msr;
	if (slice_begins(head, "device_id,opcode,offset,length,timestamp"))
		return &import_alibaba;
	return NULL;
}

/*
 * Only shapes that no other format of the table has: five bare numbers may be DiskSim's or MQSim's,
 * five columns with commas Tencent's, SPC's or CloudPhysics'.
 */
static const struct import_format *guess_by_line(struct slice line)
{
	if (is_blkparse(line))
		return &import_blkparse;
	if (is_nfsdump(line))
		return &import_nfsdump;
	if (is_msr(line))
		return &import_msr;
	if (is_strace(line))
		return &import_strace;
	return NULL;
}

const struct import_format *import_guess_format(struct slice head)
{
	const struct import_format *format = guess_binary(head);
	struct slice rest = head;

	if (!format)
		format = guess_by_title(head);
	return format ? format : guess_by_line(first_line(&rest));
}
