// SPDX-License-Identifier: GPL-2.0-or-later
/* The filters of the trace. */
#include "config.h"

#include "weirfs/trace_filter.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "core/units.h"
#include "weirfs/options.h"
#include "weirfs/tree.h"

static int parse_ops(const char *words, uint64_t *ret_ops, struct diag *diag)
{
	uint64_t ops = 0, mask;

	while (*words) {
		size_t len = strcspn(words, "+,");

		if (op_parse_mask(words, len, &mask))
			return diag_set(diag, -EINVAL,
					"trace_ops: \"%.*s\" is no operation; use names such as "
					"read, classes (read, write, meta, sync) or all, with + "
					"between them",
					(int)len, words);
		ops |= mask;
		words += len + (words[len] != '\0');
	}
	*ret_ops = ops;
	return 0;
}

int trace_filter_init(struct trace_filter *filter, const struct options *options, uint64_t number,
		      struct diag *diag)
{
	uint64_t uid;

	*filter = (struct trace_filter){
		.ops = UINT64_MAX,
		.min_ns = options->trace_min_ns,
		.glob = options->trace_path,
		.number = number,
	};
	if (options->trace_uid) {
		if (units_parse_uint(options->trace_uid, 0, UINT32_MAX, &uid))
			return diag_set(diag, -EINVAL, "trace_uid: \"%s\" is no user number",
					options->trace_uid);
		filter->one_uid = true;
		filter->uid = (uint32_t)uid;
	}
	return options->trace_ops ? parse_ops(options->trace_ops, &filter->ops, diag) : 0;
}

bool trace_filter_takes_file(const struct trace_filter *filter, struct tree *tree,
			     struct inode *inode)
{
	uint64_t era, known;
	char *path;
	bool takes;

	if (!filter->glob || !inode)
		return !filter->glob;
	/* Above: which trace; below: since which rename; the last bit: whether it matches. */
	era = filter->number << 40 | (tree_era(tree) & ((UINT64_C(1) << 39) - 1)) << 1;
	known = __atomic_load_n(&inode->trace_match, __ATOMIC_RELAXED);
	if ((known & ~UINT64_C(1)) == era)
		return known & 1;
	path = tree_path(tree, inode);
	takes = path && !fnmatch(filter->glob, path, 0);
	free(path);
	__atomic_store_n(&inode->trace_match, era | takes, __ATOMIC_RELAXED);
	return takes;
}
