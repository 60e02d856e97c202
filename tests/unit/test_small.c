// SPDX-License-Identifier: GPL-2.0-or-later
/* The small modules of the core room: rng, diag, clock, cleanup, control paths. */
#include "config.h"

#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "core/cleanup.h"
#include "core/clock.h"
#include "core/control.h"
#include "core/diag.h"
#include "core/rng.h"

static void generator_is_splitmix64(void **state)
{
	/* The first outputs of the reference implementation for seed 1234567. */
	static const uint64_t expected[] = {UINT64_C(6457827717110365317),
					    UINT64_C(3203168211198807973),
					    UINT64_C(9817491932198370423)};
	struct rng rng = {.state = 1234567};

	for (size_t i = 0; i < 3; i++)
		assert_true(rng_next(&rng) == expected[i]);
}

static void bounded_draws_are_even(void **state)
{
	struct rng rng = {.state = 1};
	unsigned int seen[10] = {0};

	for (int i = 0; i < 100000; i++) {
		uint64_t drawn = rng_below(&rng, 10);

		assert_true(drawn < 10);
		seen[drawn]++;
	}
	/* Five standard deviations of a binomial of 100000 and 1/10. */
	for (int i = 0; i < 10; i++)
		assert_in_range(seen[i], 10000 - 475, 10000 + 475);
	assert_int_equal(rng_below(&rng, 1), 0);
}

static void diag_keeps_the_error(void **state)
{
	struct diag diag = {.line = 3};

	assert_int_equal(diag_set(&diag, -EINVAL, "rule %d: no such operation", 2), -EINVAL);
	assert_string_equal(diag.text, "rule 2: no such operation");
	assert_int_equal(diag.line, 3);
	assert_int_equal(diag_set(NULL, -EPROTO, "nobody listens"), -EPROTO);
}

static void long_diag_is_cut(void **state)
{
	struct diag diag;
	char text[1000];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	diag_set(&diag, -EINVAL, "%s", text);
	assert_int_equal(strlen(diag.text), sizeof(diag.text) - 1);
}

static void clock_goes_forward(void **state)
{
	uint64_t before = clock_mono_ns();

	for (int i = 0; i < 1000; i++) {
		uint64_t now = clock_mono_ns();

		assert_true(now >= before);
		before = now;
	}
	/* 2020-01-01: the wall clock counts from 1970. */
	assert_true(clock_wall_ns() > UINT64_C(1577836800) * NS_PER_S);
}

static void times_split(void **state)
{
	struct timespec time = clock_timespec(UINT64_C(3000000007));

	assert_int_equal(time.tv_sec, 3);
	assert_int_equal(time.tv_nsec, 7);
}

static void descriptors_close_themselves(void **state)
{
	int kept, closed;

	{
		scoped_fd int first = open("/dev/null", O_RDONLY | O_CLOEXEC);
		scoped_fd int second = open("/dev/null", O_RDONLY | O_CLOEXEC);
		scoped_fd int none = -1;

		assert_true(first >= 0 && second >= 0);
		assert_int_equal(none, -1);
		closed = first;
		kept = take_fd(&second);
		assert_int_equal(second, -1);
	}
	assert_int_equal(fcntl(closed, F_GETFD), -1);
	assert_true(fcntl(kept, F_GETFD) >= 0);
	close(kept);
}

static void memory_can_be_taken(void **state)
{
	char *kept;

	{
		scoped_free char *text = strdup("kept");
		scoped_free char *freed = strdup("freed");

		assert_non_null(freed);
		kept = take_ptr(text);
		assert_null(text);
	}
	assert_string_equal(kept, "kept");
	free(kept);
}

static void sockets_are_by_user_and_device(void **state)
{
	char path[CONTROL_PATH_MAX];

	assert_int_equal(control_directory(0, 0, path), 0);
	assert_string_equal(path, "/run/weirfs");
	assert_int_equal(control_directory(0, 1, path), -ENOENT);
	assert_int_equal(control_directory(4294967294u, 0, path), 0);
	assert_string_equal(path, "/run/user/4294967294/weirfs");
	assert_int_equal(control_directory(1000, 1, path), 0);
	assert_int_equal(control_directory(1000, 2, path), -ENOENT);
	assert_int_equal(control_socket_path("/run/weirfs", 0, 45, path), 0);
	assert_string_equal(path, "/run/weirfs/0:45.sock");
}

static void sockets_fit_their_address(void **state)
{
	char directory[200], path[CONTROL_PATH_MAX];

	memset(directory, 'd', sizeof(directory));
	directory[sizeof(directory) - 1] = '\0';
	assert_int_equal(control_socket_path(directory, 0, 45, path), -ENAMETOOLONG);
	/* "/0:45.sock" and the end take 11 bytes. */
	directory[CONTROL_PATH_MAX - 11] = '\0';
	assert_int_equal(control_socket_path(directory, 0, 45, path), 0);
	directory[CONTROL_PATH_MAX - 11] = 'd';
	directory[CONTROL_PATH_MAX - 10] = '\0';
	assert_int_equal(control_socket_path(directory, 0, 45, path), -ENAMETOOLONG);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST("the generator is splitmix64", generator_is_splitmix64),
		TEST("bounded draws are even", bounded_draws_are_even),
		TEST("a diagnosis keeps its text and gives the error back", diag_keeps_the_error),
		TEST("a long diagnosis is cut, not overrun", long_diag_is_cut),
		TEST("the clock goes forward only", clock_goes_forward),
		TEST("nanoseconds split into seconds and rest", times_split),
		TEST("a scoped descriptor closes itself unless taken",
		     descriptors_close_themselves),
		TEST("scoped memory can be handed on", memory_can_be_taken),
		TEST("control sockets are found by user and device",
		     sockets_are_by_user_and_device),
		TEST("a socket's path that does not fit is refused", sockets_fit_their_address),
	};

	return RUN(tests);
}
