// SPDX-License-Identifier: GPL-2.0-or-later
/* Files of an imported trace: ids stay with files, whatever their names do. */
#include "config.h"

#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/rng.h"
#include "tools/import_names.h"
#include "trace/event.h"

static int set_up(void **state)
{
	static struct import_names names;

	assert_int_equal(names_init(&names), 0);
	*state = &names;
	return 0;
}

static int tear_down(void **state)
{
	names_done(*state);
	return 0;
}

static struct import_file *walk(struct import_names *names, const char *path)
{
	struct import_file *file = names_walk(names, NULL, slice_of(path));

	assert_non_null(file);
	return file;
}

static void assert_path(const struct import_file *file, const char *path)
{
	struct bytes out = {0};

	names_path(file, &out);
	assert_int_equal(out.len, strlen(path));
	assert_memory_equal(out.data, path, out.len);
	bytes_done(&out);
}

static void a_path_is_one_file(void **state)
{
	struct import_names *names = *state;
	struct import_file *file = walk(names, "/a/b//c/./d");

	assert_ptr_equal(walk(names, "a/b/x/../c/d"), file);
	assert_ptr_equal(walk(names, "/../../a/b/c/d"), file);
	assert_path(file, "/a/b/c/d");
	assert_path(names->root, "/");
	assert_ptr_equal(walk(names, "/"), names->root);
	assert_int_equal(walk(names, "/a/b")->mode, S_IFDIR);
	assert_int_equal(file->mode, S_IFREG);
}

static void ids_follow_renames(void **state)
{
	struct import_names *names = *state;
	struct import_file *file = walk(names, "/a/b/c"), *a = walk(names, "/a");
	struct import_file *other = walk(names, "/z");
	uint64_t era = names->era;

	names_get(other);
	assert_int_equal(names_rename(names, names->root, slice_of("a"), names->root,
				      slice_of("A")),
			 0);
	assert_true(names->era > era);
	assert_path(file, "/A/b/c");
	assert_ptr_equal(walk(names, "/A/b/c"), file);
	assert_ptr_not_equal(walk(names, "/a"), a);
	/* Over another file. */
	assert_int_equal(names_rename(names, walk(names, "/A/b"), slice_of("c"), names->root,
				      slice_of("z")),
			 0);
	assert_path(file, "/z");
	assert_true(other->flags & TRACE_FILE_F_DELETED);
	assert_path(other, "/z");
	names_put(other);
}

static void a_name_used_again_is_another_file(void **state)
{
	struct import_names *names = *state;
	struct import_file *file = walk(names, "/d/f");
	uint64_t id = file->id;

	names_get(file);
	names_remove(names, walk(names, "/d"), slice_of("f"));
	assert_true(file->flags & TRACE_FILE_F_DELETED);
	assert_path(file, "/d/f");
	assert_true(walk(names, "/d/f")->id > id);
	names_put(file);
}

static void links_are_names_of_one_file(void **state)
{
	struct import_names *names = *state;
	struct import_file *file = walk(names, "/f");

	assert_int_equal(names_link(names, file, walk(names, "/d"), slice_of("g")), 0);
	assert_ptr_equal(walk(names, "/d/g"), file);
	assert_path(file, "/f");
	names_remove(names, names->root, slice_of("f"));
	assert_path(file, "/d/g");
	assert_false(file->flags & TRACE_FILE_F_DELETED);
	assert_int_equal(names_link(names, walk(names, "/d"), walk(names, "/e"), slice_of("x")),
			 -EINVAL);
}

static void exchanged_names_swap(void **state)
{
	struct import_names *names = *state;
	struct import_file *a = walk(names, "/a"), *b = walk(names, "/d/b");

	names_exchange(names, names->root, slice_of("a"), walk(names, "/d"), slice_of("b"));
	assert_path(a, "/d/b");
	assert_path(b, "/a");
	/* A directory and what is in it can't. */
	names_exchange(names, names->root, slice_of("d"), walk(names, "/d"), slice_of("b"));
	assert_path(a, "/d/b");
}

static void nothing_goes_below_itself(void **state)
{
	struct import_names *names = *state;
	struct import_file *c = walk(names, "/a/b/c");

	walk(names, "/a/b/c/d");
	assert_int_equal(names_rename(names, names->root, slice_of("a"), c, slice_of("a")),
			 -EINVAL);
	assert_path(c, "/a/b/c");
}

static void what_holds_names_has_one_name(void **state)
{
	struct import_names *names = *state;
	struct import_file *file = walk(names, "/f");

	/* Below itself. */
	assert_int_equal(names_link(names, file, file, slice_of("x")), -EINVAL);
	/* A directory that an answer calls a file. */
	walk(names, "/f/x");
	file->mode = S_IFREG;
	assert_int_equal(names_link(names, file, names->root, slice_of("g")), -EINVAL);
	/* A file of two names that becomes a directory keeps the first. */
	file = walk(names, "/h");
	assert_int_equal(names_link(names, file, names->root, slice_of("i")), 0);
	file->mode = S_IFDIR;
	walk(names, "/i/x");
	assert_path(walk(names, "/h/x"), "/h/x");
	assert_ptr_not_equal(walk(names, "/i"), file);
}

static void odd_names_are_made_components(void **state)
{
	struct import_names *names = *state;

	assert_path(names_child(names, names->root, (struct slice){"a/b\0c", 5}), "/a_b_c");
	assert_path(names_child(names, names->root, slice_of("..")), "/_.");
	assert_path(names_child(names, names->root, slice_of("")), "/_");
	assert_ptr_equal(names_child(names, names->root, slice_of("a/b/c")),
			 names_child(names, names->root, slice_of("a_b_c")));
}

/* Every file's paths lead to it, and a walk up ends at the root, whatever was done. */
static void random_changes_never_make_a_ring(void **state)
{
	struct import_names *names = *state;
	struct rng rng = {7};

	for (int i = 0; i < 20000; i++) {
		char from[16], to[16];
		struct import_file *one, *other;

		snprintf(from, sizeof(from), "/%c/%c/%c", 'a' + (int)(rng_next(&rng) % 4),
			 'a' + (int)(rng_next(&rng) % 4), 'a' + (int)(rng_next(&rng) % 4));
		snprintf(to, sizeof(to), "/%c/%c", 'a' + (int)(rng_next(&rng) % 4),
			 'a' + (int)(rng_next(&rng) % 4));
		one = walk(names, from);
		names_get(one);
		other = walk(names, to);
		names_get(other);
		switch (rng_next(&rng) % 5) {
		case 0:
			if (names_parent(one))
				names_rename(names, names_parent(one), names_last(one), other,
					     slice_of(from + 5));
			break;
		case 1:
			names_link(names, one, other, slice_of(to + 3));
			break;
		case 2:
			if (names_parent(other))
				names_remove(names, names_parent(other), names_last(other));
			break;
		case 3:
			if (names_parent(one) && names_parent(other))
				names_exchange(names, names_parent(one), names_last(one),
					       names_parent(other), names_last(other));
			break;
		default:
			break;
		}
		for (const struct import_file *at = one; at; at = names_parent(at))
			assert_true(at->refs > 0);
		names_put(one);
		names_put(other);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST_WITH("a path is one file, however it is written", a_path_is_one_file, set_up,
			  tear_down),
		TEST_WITH("an id stays with its file through renames", ids_follow_renames, set_up,
			  tear_down),
		TEST_WITH("a name that is used again is another file",
			  a_name_used_again_is_another_file, set_up, tear_down),
		TEST_WITH("links are names of one file", links_are_names_of_one_file, set_up,
			  tear_down),
		TEST_WITH("exchanged names swap their files", exchanged_names_swap, set_up,
			  tear_down),
		TEST_WITH("a directory never goes below itself", nothing_goes_below_itself, set_up,
			  tear_down),
		TEST_WITH("what holds names has one name itself", what_holds_names_has_one_name,
			  set_up, tear_down),
		TEST_WITH("odd names are made components of a path", odd_names_are_made_components,
			  set_up, tear_down),
		TEST_WITH("random changes never make a ring", random_changes_never_make_a_ring,
			  set_up, tear_down),
	};

	return RUN(tests);
}
