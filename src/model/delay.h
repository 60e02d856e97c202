/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The delay model: a fixed time added to chosen operations.
 *
 * Rules are separated by "," or "+"; each is OP[@GLOB]:TIME[:SHARE]
 *   OP     an operation ("read"), a class ("meta", "sync") or "all"
 *   GLOB   the files it applies to, by path below the mount, as fnmatch(3) without FNM_PATHNAME
 *   TIME   "20ms": the reply is sent that long after the operation arrived, never earlier than the
 *          storage answered
 *   SHARE  "30%": how many of the operations, chosen by a generator seeded with the operation's
 *          number, so that a run repeats
 * Of several rules that apply to an operation the longest counts; they do not add up, and each
 * operation draws once a rule.
 */
#ifndef MODEL_DELAY_H
#define MODEL_DELAY_H

#include "core/diag.h"
#include "core/op.h"

#define DELAY_RULES_MAX 32

struct delay;

/* Parses rules. Returns 0, -EINVAL (diag says which rule and why) or -ENOMEM. */
int delay_new(const char *rules, struct delay **ret_delay, struct diag *diag);
void delay_free(struct delay *delay);

/* The rules as they were given. */
const char *delay_text(const struct delay *delay);
/* Whether any rule has a glob, so that matches depend on the file. */
bool delay_wants_path(const struct delay *delay);

/* One bit a rule whose glob matches the path; rules without a glob match always (path NULL too). */
uint32_t delay_match(const struct delay *delay, const char *path);

/* When an operation that starts now may be answered: start_ns when no rule applies. */
uint64_t delay_schedule(const struct delay *delay, const struct op *op, uint32_t matched,
			uint64_t start_ns);

#endif
