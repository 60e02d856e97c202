# SPDX-License-Identifier: GPL-2.0-or-later
# What the libfuse found at build time offers: probed by use, never by version.

# WEIR_FUSE_FEATURE(NAME, DESCRIPTION, STATEMENTS)
# Defines HAVE_FUSE_NAME when the statements compile and link. They see `ops' (struct
# fuse_lowlevel_ops), `fi' (struct fuse_file_info), `conn' (struct fuse_conn_info *) and `req'.
# The answer goes to weir_fuse_features for the summary.
AC_DEFUN([WEIR_FUSE_FEATURE],
[AC_CACHE_CHECK([for libfuse feature: $2], [weir_cv_fuse_$1],
	[weir_saved_CFLAGS=$CFLAGS
	weir_saved_LIBS=$LIBS
	CFLAGS="$CFLAGS $FUSE3_CFLAGS -Werror=implicit-function-declaration"
	LIBS="$FUSE3_LIBS $LIBS"
	AC_LINK_IFELSE([AC_LANG_SOURCE([[
#include <fuse_lowlevel.h>
int main(int argc, char **argv)
{
	static struct fuse_lowlevel_ops ops;
	static struct fuse_file_info fi;
	static struct fuse_conn_info conn_info;
	struct fuse_conn_info *conn = &conn_info;
	fuse_req_t req = (fuse_req_t)(void *)argv;
	(void)argc; (void)ops; (void)fi; (void)conn; (void)req;
	$3
	return 0;
}]])], [weir_cv_fuse_$1=yes], [weir_cv_fuse_$1=no])
	CFLAGS=$weir_saved_CFLAGS
	LIBS=$weir_saved_LIBS])
AS_VAR_IF([weir_cv_fuse_$1], [yes],
	[AC_DEFINE([HAVE_FUSE_$1], [1], [Define to 1 if libfuse has: $2])
	AS_VAR_APPEND([weir_fuse_features], [" $1"])],
	[AS_VAR_APPEND([weir_fuse_missing], [" $1"])])])
