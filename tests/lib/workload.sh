#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# workload.sh DIR SOURCE: a mixed load below the empty directory DIR, as programs of every day make
# it; SOURCE is a tree to take files from. Everything happens inside DIR, so that it can be counted.
set -euo pipefail

directory=$1 source=$2
cd "$directory"
export TMPDIR=$PWD HOME=$PWD GIT_CONFIG_NOSYSTEM=1 LC_ALL=C SQLITE_HISTORY=/dev/null

# Random 4 KiB reads and writes, past the page cache and through it, with a sync now and then.
run_fio() {
	mkdir fio
	local -a common=(--directory=fio --size=4M --bs=4k --rw=randrw --ioengine=psync --randseed=7
		--allow_file_create=1 --output=fio/report --eta=never)
	fio --name=direct --direct=1 --fsync=64 "${common[@]}"
	fio --name=buffered --fdatasync=128 "${common[@]}"
}

# Two tables of 1,000 rows in 20 transactions, one with a write-ahead log, one with a rollback journal.
# Exclusively locked, so that nothing is written through a shared mapping, which no call would show.
run_sqlite() {
	local mode part
	mkdir sqlite
	for mode in wal delete; do
		{
			printf 'PRAGMA locking_mode=exclusive;\nPRAGMA journal_mode=%s;\nCREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT);\n' "$mode"
			for part in {1..20}; do
				printf 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50)\n'
				printf "INSERT INTO t SELECT %d * 50 + i, 'row ' || i FROM n;\n" "$part"
			done
			printf 'SELECT count(*) FROM t;\nPRAGMA integrity_check;\n'
		} | sqlite3 "sqlite/$mode.db" >"sqlite/$mode.out"
		grep -qx 1000 "sqlite/$mode.out"
		grep -qx ok "sqlite/$mode.out"
	done
}

run_git() {
	mkdir repository
	cp -R "$source"/{src,tools,tests,man,data,docs} repository/
	git -c init.defaultBranch=main init -q repository
	git -C repository add .
	git -C repository -c user.name=weir -c user.email=weir@localhost commit -q -m 'all of it'
	git -C repository fsck --strict --no-progress
	git -C repository status --short
}

run_files() {
	tar cf tree.tar repository
	mkdir unpacked
	tar xf tree.tar -C unpacked
	cp -a unpacked/repository copy
	diff -r repository copy
	find copy -type f -name '*.c' -exec grep -l include {} + >found
	ln -s copy link
	ln tree.tar second-name
	mv second-name third-name
	rm -rf copy
}

run_fio
run_sqlite
run_git
run_files
