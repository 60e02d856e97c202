/* SPDX-License-Identifier: GPL-2.0-or-later */
/* data=kernel: files whose reads and writes the kernel passes to the backing file by itself. */
#ifndef WEIRFS_KERNEL_DATA_H
#define WEIRFS_KERNEL_DATA_H

#include <sys/types.h>

struct file;
struct request;
struct weirfs;

/*
 * Asks the kernel to move the data of a file that is being opened; mode is the file's. Where it
 * can't or shouldn't, the data goes through the daemon (counter kernel_data_files tells).
 */
void kernel_data_open(struct request *request, struct file *file, mode_t mode);
void kernel_data_close(struct weirfs *fs, struct file *file);

#endif
