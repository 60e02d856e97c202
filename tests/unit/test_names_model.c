// SPDX-License-Identifier: GPL-2.0-or-later
/* Names at random: paths, references and who is alive, held against a brute-force model. */
#include "config.h"

#include "test.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/rng.h"
#include "fake.h"
#include "weirfs/tree.h"

#define INODES 12 /* the first is the root */
#define DIRS 5
#define NAMES 4
#define LINKS 256
#define PATH_ROOM (2 * INODES + 1)
#define NOBODY (-1)

/* Every name in one flat list, in the order in which the inode's names come first. */
struct model_link {
	int inode;
	int parent;
	int name;
	bool holds; /* false: only remembered for the path */
};

struct model {
	struct model_link link[LINKS];
	int count;
	bool alive[INODES];
	int held[INODES]; /* references of the test itself */
};

static int model_find(const struct model *model, int parent, int name)
{
	for (int i = 0; i < model->count; i++) {
		const struct model_link *link = &model->link[i];

		if (link->holds && link->parent == parent && link->name == name)
			return i;
	}
	return NOBODY;
}

static int model_names(const struct model *model, int inode, bool remembered)
{
	int n = 0;

	for (int i = 0; i < model->count; i++)
		n += model->link[i].inode == inode && (remembered || model->link[i].holds);
	return n;
}

static void model_erase(struct model *model, int at)
{
	memmove(&model->link[at], &model->link[at + 1],
		(size_t)(--model->count - at) * sizeof(model->link[0]));
}

static void model_drop(struct model *model, int at, bool keep_last)
{
	if (keep_last && model_names(model, model->link[at].inode, true) == 1)
		model->link[at].holds = false;
	else
		model_erase(model, at);
}

/* Whoever is above the parent and says to be below the inode loses that name. */
static void model_cut(struct model *model, int parent, int inode)
{
	for (int at = parent, i; inode < DIRS; at = model->link[i].parent) {
		for (i = 0; i < model->count && model->link[i].inode != at; i++)
			;
		if (i == model->count)
			return;
		if (model->link[i].parent == inode) {
			model_erase(model, i);
			return;
		}
	}
}

static void model_link(struct model *model, int parent, int name, int inode)
{
	int old = model_find(model, parent, name);

	if (inode == 0 || inode == parent || (old != NOBODY && model->link[old].inode == inode))
		return;
	if (old != NOBODY)
		model_drop(model, old, true);
	for (int i = model->count; i-- > 0;) {
		if (model->link[i].inode == inode && (inode < DIRS || !model->link[i].holds))
			model_erase(model, i);
	}
	model_cut(model, parent, inode);
	memmove(&model->link[1], &model->link[0], (size_t)model->count++ * sizeof(model->link[0]));
	model->link[0] = (struct model_link){inode, parent, name, true};
}

static void model_move(struct model *model, int parent, int name, int inode, int to_parent,
		       int to_name)
{
	for (int i = 0; i < model->count; i++) {
		struct model_link *link = &model->link[i];

		if (link->inode != inode || !link->holds || link->parent != parent ||
		    link->name != name)
			continue;
		link->parent = to_parent;
		link->name = to_name;
		break;
	}
	model_cut(model, to_parent, inode);
}

static void model_rename(struct model *model, int parent, int name, int to_parent, int to_name,
			 bool exchange)
{
	int from = model_find(model, parent, name), to = model_find(model, to_parent, to_name);

	int moved = from == NOBODY ? NOBODY : model->link[from].inode;
	int other = to == NOBODY ? NOBODY : model->link[to].inode;

	if (moved != NOBODY && moved == other) {
		/* Seen there before the rename was noted: these files have one name. */
		if (from != to)
			model_erase(model, from);
		return;
	}
	if (other != NOBODY && !exchange)
		model_drop(model, to, true);
	if (moved != NOBODY)
		model_move(model, parent, name, moved, to_parent, to_name);
	if (other != NOBODY && exchange)
		model_move(model, to_parent, to_name, other, parent, name);
}

static uint64_t model_refs(const struct model *model, int inode)
{
	uint64_t refs = (uint64_t)model->held[inode] + (inode == 0);

	for (int i = 0; i < model->count; i++)
		refs += model->link[i].parent == inode;
	return refs;
}

/* Ends whoever nobody refers to, until nothing changes. */
static void model_settle(struct model *model)
{
	bool again = true;

	while (again) {
		again = false;
		for (int inode = 0; inode < INODES; inode++) {
			if (!model->alive[inode] || model_refs(model, inode))
				continue;
			model->alive[inode] = false;
			again = true;
			for (int i = model->count; i-- > 0;) {
				if (model->link[i].inode == inode)
					model_erase(model, i);
			}
		}
	}
}

static void model_path(const struct model *model, int inode, char *path, size_t room)
{
	char text[PATH_ROOM];
	size_t at = sizeof(text) - 1;
	int depth = 0;

	text[at] = '\0';
	while (inode != 0) {
		int i = 0;

		while (i < model->count && model->link[i].inode != inode)
			i++;
		if (i == model->count || ++depth > INODES)
			break;
		text[--at] = (char)('a' + model->link[i].name);
		text[--at] = '/';
		inode = model->link[i].parent;
	}
	/* More names than there are inodes go in circles; a parent without a name is an end. */
	snprintf(path, room, "%s",
		 depth > INODES || (!depth && inode) ? "?"
		 : depth                             ? text + at
						     : "/");
}

static void start(struct tree *tree)
{
	struct statx root = fake_root();

	assert_int_equal(tree_init(tree, &root), 0);
}

static void check_path(struct tree *tree, const struct inode *inode, const char *wanted)
{
	char *path = tree_path(tree, inode);

	assert_string_equal(path, wanted);
	free(path);
}

static void check_found(struct tree *tree, struct inode *parent, const char *name,
			const struct inode *wanted)
{
	struct inode *found = tree_find(tree, parent, name);

	assert_ptr_equal(found, wanted);
	inode_put(tree, found);
}

struct world {
	struct tree tree;
	struct model model;
	struct inode *inode[INODES];
	struct rng rng;
};

static const char *name_text(int name)
{
	static const char *const names[NAMES] = {"a", "b", "c", "d"};

	return names[name];
}

static void hold(struct world *world, int which)
{
	struct statx stx =
		which ? fake_stx(10 + (uint64_t)which, which < DIRS ? S_IFDIR : S_IFREG, 5)
		      : fake_root();
	struct inode *inode = tree_inode(&world->tree, &stx);

	assert_non_null(inode);
	/* Somebody who is still alive is found, not made again. */
	if (world->model.alive[which])
		assert_ptr_equal(inode, world->inode[which]);
	world->inode[which] = inode;
	world->model.alive[which] = true;
	world->model.held[which]++;
}

static void let_go(struct world *world, int which)
{
	if (!world->model.held[which])
		return;
	inode_put(&world->tree, world->inode[which]);
	world->model.held[which]--;
	model_settle(&world->model);
}

static int some(struct world *world, int n)
{
	return (int)rng_below(&world->rng, (uint64_t)n);
}

static void random_step(struct world *world)
{
	int parent = some(world, DIRS), to_parent = some(world, DIRS), inode = some(world, INODES);
	int name = some(world, NAMES), to_name = some(world, NAMES);
	bool flag = some(world, 3) == 0;

	hold(world, parent);
	hold(world, to_parent);
	switch (some(world, 6)) {
	case 0:
	case 1:
		hold(world, inode);
		assert_int_equal(tree_link(&world->tree, world->inode[parent], name_text(name),
					   world->inode[inode]),
				 0);
		model_link(&world->model, parent, name, inode);
		break;
	case 2:
		tree_unlink(&world->tree, world->inode[parent], name_text(name), !flag);
		if (model_find(&world->model, parent, name) != NOBODY)
			model_drop(&world->model, model_find(&world->model, parent, name), !flag);
		break;
	case 3:
		tree_rename(&world->tree, NULL, world->inode[parent], name_text(name),
			    world->inode[to_parent], name_text(to_name), flag);
		model_rename(&world->model, parent, name, to_parent, to_name, flag);
		break;
	default:
		let_go(world, inode);
		break;
	}
	model_settle(&world->model);
	let_go(world, parent);
	let_go(world, to_parent);
}

static void check_inode(struct world *world, int which)
{
	char wanted[PATH_ROOM];

	assert_int_equal(world->inode[which]->refs, model_refs(&world->model, which));
	assert_int_equal(tree_names(&world->tree, world->inode[which]),
			 model_names(&world->model, which, false));
	model_path(&world->model, which, wanted, sizeof(wanted));
	check_path(&world->tree, world->inode[which], wanted);
}

static void check_world(struct world *world)
{
	uint64_t alive = 0;

	for (int i = 0; i < INODES; i++) {
		if (!world->model.alive[i])
			continue;
		alive++;
		check_inode(world, i);
	}
	assert_int_equal(world->tree.inodes, alive);
	for (int parent = 0; parent < DIRS; parent++) {
		for (int name = 0; name < NAMES && world->model.alive[parent]; name++) {
			int at = model_find(&world->model, parent, name);

			check_found(&world->tree, world->inode[parent], name_text(name),
				    at == NOBODY ? NULL
						 : world->inode[world->model.link[at].inode]);
		}
	}
}

static void random_names_are_as_the_model_says(void **state)
{
	for (uint64_t seed = 1; seed <= 10; seed++) {
		struct world *world = calloc(1, sizeof(*world));

		assert_non_null(world);
		start(&world->tree);
		world->rng.state = seed;
		world->inode[0] = world->tree.root;
		world->model.alive[0] = true;
		for (int i = 0; i < 300; i++) {
			random_step(world);
			check_world(world);
		}
		for (int i = 0; i < INODES; i++) {
			while (world->model.held[i])
				let_go(world, i);
		}
		check_world(world);
		/* Nobody holds himself by going in a circle. */
		assert_int_equal(tree_done(&world->tree), 1);
		free(world);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST("random names, references and paths are as the model says",
		     random_names_are_as_the_model_says),
	};

	return RUN(tests);
}
