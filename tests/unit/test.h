/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every unit test begins with: cmocka and its headers, and tests that are named by a sentence.
 */
#ifndef TESTS_UNIT_TEST_H
#define TESTS_UNIT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define TEST(sentence, function)                     \
	{                                            \
		sentence, function, NULL, NULL, NULL \
	}
#define TEST_WITH(sentence, function, setup, teardown)    \
	{                                                 \
		sentence, function, setup, teardown, NULL \
	}

/* cmocka 1.1.5 prints a broken TAP plan for a second group: one a program. */
#define RUN(tests) cmocka_run_group_tests(tests, NULL, NULL)

#endif
