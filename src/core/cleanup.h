/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scope cleanup: resources that release themselves at the end of their block.
 */
#ifndef CORE_CLEANUP_H
#define CORE_CLEANUP_H

#include <stdlib.h>
#include <unistd.h>

static inline void cleanup_free(void *slot)
{
	free(*(void **)slot);
}

static inline void cleanup_fd(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

/* Frees the pointed-to heap block when the variable leaves its scope. */
#define scoped_free __attribute__((cleanup(cleanup_free)))
/* Closes the descriptor (when >= 0) when the variable leaves its scope. */
#define scoped_fd __attribute__((cleanup(cleanup_fd)))

static inline void *take_ptr_slot(void **slot)
{
	void *ptr = *slot;

	*slot = NULL;
	return ptr;
}

/* Hands the pointer in a scoped variable to somebody else. */
#define take_ptr(var) take_ptr_slot((void **)&(var))

static inline int take_fd(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

#endif
