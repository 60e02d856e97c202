# SPDX-License-Identifier: GPL-2.0-or-later
# Compiler and linker flags, probed one by one.

# WEIR_APPEND_FLAGS(VARIABLE, FLAGS): appends each flag with which a program can be compiled and
# linked without a warning.
AC_DEFUN([WEIR_APPEND_FLAGS],
[for weir_flag in m4_normalize([$2]); do
	AC_MSG_CHECKING([whether $CC accepts $weir_flag])
	weir_saved_CFLAGS=$CFLAGS
	CFLAGS="$CFLAGS -Werror $weir_flag"
	AC_LINK_IFELSE([AC_LANG_SOURCE([[
#include <stdio.h>
#include <string.h>
int main(void) { return 0; }]])],
		[AC_MSG_RESULT([yes])
		AS_VAR_APPEND([$1], [" $weir_flag"])],
		[AC_MSG_RESULT([no])])
	CFLAGS=$weir_saved_CFLAGS
done])

# WEIR_REQUIRE_FLAG(FLAG, OPTION): fails unless a program compiles and links with the flag.
AC_DEFUN([WEIR_REQUIRE_FLAG],
[AC_MSG_CHECKING([whether $CC can build with $1])
weir_saved_CFLAGS=$CFLAGS
CFLAGS="$CFLAGS $1"
AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])],
	[AC_MSG_RESULT([yes])],
	[AC_MSG_RESULT([no])
	AC_MSG_ERROR([$2 was asked for, but $CC cannot build with $1])])
CFLAGS=$weir_saved_CFLAGS])
