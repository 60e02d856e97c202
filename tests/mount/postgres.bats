#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# A24: PostgreSQL on the mount: a load, an immediate stop, recovery, and its own checksums.

# shellcheck disable=SC2030,SC2031,SC2317 # every test is a process of its own; conditions are called by name
# shellcheck source=tests/lib/common.bash
. "$BATS_TEST_DIRNAME/../lib/common.bash"

setup() {
	weir_setup
	bin=$(echo /usr/lib/postgresql/*/bin)
	[[ -x $bin/initdb ]] || fail "the Debian package postgresql is missing"
}

teardown() {
	weir_teardown
}

pg() {
	local program=$1
	shift
	(cd / && setpriv --reuid postgres --regid postgres --init-groups -- "$bin/$program" "$@" 3>&-)
}

start_postgres() {
	pg pg_ctl -D "$data" -w -t 60 -l "$tmp/pg/server.log" \
		-o "-k $tmp/pg -c listen_addresses='' -c shared_buffers=16MB -c max_connections=20" start
}

stop_postgres() {
	pg pg_ctl -D "$data" -m "$1" -w -t 60 stop
}

rows() {
	pg psql -h "$tmp/pg" -At -c "SELECT count(*), sum(delta) FROM pgbench_history; SELECT sum(abalance) FROM pgbench_accounts" postgres
}

load_and_recover() {
	local before
	install -d -o postgres -g postgres "$tmp/pg" "$m/pg"
	data=$m/pg/data
	pg initdb -D "$data" --data-checksums -A trust >initdb.out
	start_postgres >start.out
	defer stop_postgres immediate
	pg pgbench -h "$tmp/pg" -q -i -s 1 postgres >init.out 2>&1
	pg pgbench -h "$tmp/pg" -c 4 -j 2 -t 150 postgres >bench.out 2>&1
	before=$(rows)
	assert_contains "$before" "600|"
	stop_postgres immediate >stop.out
	drop_caches
	start_postgres >start.out
	assert_equal "$(rows)" "$before" "rows after recovery"
	pg psql -h "$tmp/pg" -At -c 'CREATE INDEX ON pgbench_history (delta); VACUUM FULL' postgres >sql.out 2>&1 || true
	stop_postgres fast >stop.out
	pg pg_checksums -D "$data" --check >checksums.out
	grep -E 'Bad checksums: *0' checksums.out
	refute grep PANIC "$tmp/pg/server.log"
}

@test "A24: PostgreSQL recovers cleanly from an immediate stop on ext4, in place" {
	FS_SIZE=900M in_place ext4
	load_and_recover
}

@test "A24: PostgreSQL recovers cleanly from an immediate stop with cache=none" {
	FS_SIZE=900M over xfs cache=none
	load_and_recover
}
