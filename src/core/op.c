// SPDX-License-Identifier: GPL-2.0-or-later
/* Names and classes of operations, and what a finished one's stamps mean. */
#include "config.h"

#include "core/op.h"

#include <errno.h>
#include <string.h>

static const char *const kind_names[OP_KINDS] = {
#define X(id, name, class) [OP_##id] = name,
	OP_TABLE(X)
#undef X
};

static const uint8_t kind_classes[OP_KINDS] = {
#define X(id, name, class) [OP_##id] = OP_CLASS_##class,
	OP_TABLE(X)
#undef X
};

static const char *const class_names[OP_CLASSES] = {
#define X(id, name) [OP_CLASS_##id] = name,
	OP_CLASS_TABLE(X)
#undef X
};

static const char *const duration_names[DURATIONS] = {
#define X(id, name, help) [DUR_##id] = name,
	DURATION_TABLE(X)
#undef X
};

const char *op_name(unsigned int kind)
{
	return kind < OP_KINDS ? kind_names[kind] : "?";
}

const char *op_class_name(unsigned int class)
{
	return class < OP_CLASSES ? class_names[class] : "?";
}

const char *duration_name(unsigned int duration)
{
	return duration < DURATIONS ? duration_names[duration] : "?";
}

enum op_class op_class(enum op_kind kind)
{
	return (enum op_class)kind_classes[kind];
}

static bool same_word(const char *name, const char *word, size_t len)
{
	return strlen(name) == len && !memcmp(name, word, len);
}

int op_parse(const char *name, enum op_kind *ret_kind)
{
	for (unsigned int kind = 0; kind < OP_KINDS; kind++) {
		if (!strcmp(name, kind_names[kind])) {
			*ret_kind = (enum op_kind)kind;
			return 0;
		}
	}
	return -ENOENT;
}

int op_parse_mask(const char *word, size_t len, uint64_t *ret_mask)
{
	uint64_t mask = 0;

	if (same_word("all", word, len)) {
		*ret_mask = (UINT64_C(1) << OP_KINDS) - 1;
		return 0;
	}
	for (unsigned int kind = 0; kind < OP_KINDS; kind++) {
		if (same_word(kind_names[kind], word, len)) {
			*ret_mask = UINT64_C(1) << kind;
			return 0;
		}
		if (same_word(class_names[kind_classes[kind]], word, len))
			mask |= UINT64_C(1) << kind;
	}
	if (!mask)
		return -ENOENT;
	*ret_mask = mask;
	return 0;
}

static uint64_t span(uint64_t from, uint64_t to)
{
	return from && to > from ? to - from : 0;
}

void op_durations(const struct op *op, uint64_t ret_ns[DURATIONS])
{
	ret_ns[DUR_SERVICE] = span(op->issued_ns, op->backed_ns);
	/* Only a reply that a model kept back was held: sending it is not a hold. */
	ret_ns[DUR_HOLD] = op->due_ns > op->backed_ns ? span(op->backed_ns, op->done_ns) : 0;
	ret_ns[DUR_TOTAL] = span(op->arrive_ns, op->done_ns);
}

bool op_has_duration(const struct op *op, unsigned int duration, const uint64_t ns[DURATIONS])
{
	return op->done_ns && (duration != DUR_HOLD || ns[DUR_HOLD]);
}
