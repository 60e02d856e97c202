// SPDX-License-Identifier: GPL-2.0-or-later
/* The delay model: a fixed time added to chosen operations. */
#include "config.h"

#include "model/delay.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "core/cleanup.h"
#include "core/rng.h"
#include "core/units.h"

#define PPM 1000000u
#define DELAY_MAX_NS (UINT64_C(86400) * 1000000000)

struct rule {
	uint64_t ops; /* one bit an operation */
	char *glob;   /* NULL = every file */
	uint64_t delay_ns;
	uint32_t share_ppm;
};

struct delay {
	char *text;
	unsigned int rules;
	bool wants_path;
	uint64_t ops; /* those that any rule names */
	struct rule rule[DELAY_RULES_MAX];
};

static int parse_target(char *target, struct rule *rule, struct diag *diag)
{
	char *glob = strchr(target, '@');

	if (glob) {
		*glob++ = '\0';
		rule->glob = strdup(glob);
		if (!rule->glob)
			return -ENOMEM;
	}
	if (op_parse_mask(target, strlen(target), &rule->ops))
		return diag_set(diag, -EINVAL,
				"delay: \"%s\" is no operation; use a name such as read, a class "
				"(read, write, meta, sync) or all",
				target);
	return 0;
}

static int parse_rule(char *text, struct rule *rule, struct diag *diag)
{
	char *share, *time = strchr(text, ':');
	int err;

	if (!time)
		return diag_set(diag, -EINVAL,
				"delay: \"%s\" has no time; use OP:TIME, as read:20ms", text);
	*time++ = '\0';
	share = strchr(time, ':');
	if (share)
		*share++ = '\0';
	err = units_parse_time(time, 0, &rule->delay_ns);
	if (err || rule->delay_ns > DELAY_MAX_NS)
		return diag_set(
			diag, -EINVAL,
			"delay: \"%s\" is no time up to 1d; use a number with ns, us, ms or s",
			time);
	rule->share_ppm = PPM;
	if (share && units_parse_share(share, &rule->share_ppm))
		return diag_set(diag, -EINVAL,
				"delay: \"%s\" is no share; use a number from 0%% to 100%%", share);
	return parse_target(text, rule, diag);
}

static int parse_rules(char *text, struct delay *delay, struct diag *diag)
{
	char *next, *save = NULL;

	for (next = strtok_r(text, ",+", &save); next; next = strtok_r(NULL, ",+", &save)) {
		struct rule *rule = &delay->rule[delay->rules];
		int err;

		if (delay->rules == DELAY_RULES_MAX)
			return diag_set(diag, -EINVAL, "delay: more than %d rules",
					DELAY_RULES_MAX);
		delay->rules++; /* counted first, so that a half-built one is freed */
		err = parse_rule(next, rule, diag);
		if (err)
			return err;
		delay->wants_path |= rule->glob != NULL;
		delay->ops |= rule->ops;
	}
	if (!delay->rules)
		return diag_set(diag, -EINVAL, "delay: no rule given; use OP:TIME, as read:20ms");
	return 0;
}

int delay_new(const char *rules, struct delay **ret_delay, struct diag *diag)
{
	struct delay *delay = calloc(1, sizeof(*delay));
	scoped_free char *text = strdup(rules);
	int err = -ENOMEM;

	if (delay)
		delay->text = strdup(rules);
	if (delay && delay->text && text)
		err = parse_rules(text, delay, diag);
	if (err) {
		delay_free(delay);
		return err;
	}
	*ret_delay = delay;
	return 0;
}

void delay_free(struct delay *delay)
{
	if (!delay)
		return;
	for (unsigned int i = 0; i < delay->rules; i++)
		free(delay->rule[i].glob);
	free(delay->text);
	free(delay);
}

const char *delay_text(const struct delay *delay)
{
	return delay->text;
}

bool delay_wants_path(const struct delay *delay)
{
	return delay->wants_path;
}

uint32_t delay_match(const struct delay *delay, const char *path)
{
	uint32_t matched = 0;

	for (unsigned int i = 0; i < delay->rules; i++) {
		const char *glob = delay->rule[i].glob;

		if (!glob || (path && !fnmatch(glob, path, 0)))
			matched |= 1u << i;
	}
	return matched;
}

/* Whether the operation is among the share that the rule delays. */
static bool drawn(const struct rule *rule, unsigned int index, uint64_t seq)
{
	struct rng rng = {.state = seq * DELAY_RULES_MAX + index};

	return rule->share_ppm == PPM || rng_below(&rng, PPM) < rule->share_ppm;
}

uint64_t delay_schedule(const struct delay *delay, const struct op *op, uint32_t matched,
			uint64_t start_ns)
{
	uint64_t bit = UINT64_C(1) << op->kind, longest = 0;

	if (!(delay->ops & bit))
		return start_ns;
	for (unsigned int i = 0; i < delay->rules; i++) {
		const struct rule *rule = &delay->rule[i];

		if ((rule->ops & bit) && (matched & (1u << i)) && rule->delay_ns > longest &&
		    drawn(rule, i, op->seq))
			longest = rule->delay_ns;
	}
	return start_ns + longest;
}
