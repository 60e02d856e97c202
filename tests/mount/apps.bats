#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Programs of every day, through the mount, with their own checks of what they stored.

# shellcheck disable=SC2030,SC2031,SC2317 # every test is a process of its own; conditions are called by name
# shellcheck source=tests/lib/common.bash
. "$BATS_TEST_DIRNAME/../lib/common.bash"

setup() {
	weir_setup
	export HOME=$tmp GIT_CONFIG_NOSYSTEM=1
	git config --global user.name weir
	git config --global user.email weir@localhost
	git config --global init.defaultBranch main
	git config --global --add safe.directory '*'
}

teardown() {
	weir_teardown
}

run_fio() {
	fio --directory="$m" --size=8M --rw=randrw --verify=crc32c --verify_fatal=1 --do_verify=1 \
		--randseed=7 --eta=never --output=fio.out "$@" || { cat fio.out; return 1; }
	rm -f "$m"/fio* "$m"/v.*
}

@test "fio finds what it wrote: psync, mmap and direct libaio, in every cache mode" {
	local mode
	make_fs ext4 600M
	b=$fs/b m=$tmp/m
	mkdir "$b" "$m"
	for mode in auto none always; do
		mount_weirfs "$b" "$m" "cache=$mode"
		run_fio --name=v --bsrange=512-64k --ioengine=psync
		maps_refused || run_fio --name=v --bs=4k --ioengine=mmap
		run_fio --name=v --bs=4k --ioengine=libaio --direct=1 --iodepth=16
		unmount_weirfs "$m"
	done
}

# Four writers and readers at once, then the data base's own check.
sqlite_load() {
	local mode=$1 worker
	local -a pids=()
	sqlite3 "$m/t.db" "PRAGMA journal_mode=$mode; CREATE TABLE t (id INTEGER PRIMARY KEY, who INT, v TEXT);" >/dev/null
	for worker in 1 2 3 4; do
		(
			for ((i = 0; i < 15; i++)); do
				sqlite3 -cmd '.timeout 60000' -cmd 'PRAGMA mmap_size=268435456' "$m/t.db" \
					"BEGIN IMMEDIATE; INSERT INTO t (who, v) SELECT $worker, hex(randomblob(100)) FROM
					 (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20) SELECT i FROM n);
					 COMMIT; SELECT count(*) FROM t WHERE who = $worker;"
			done >"out.$worker"
		) 3>&- &
		pids+=($!)
	done
	for worker in "${pids[@]}"; do wait "$worker"; done
	assert_equal "$(sqlite3 "$m/t.db" 'PRAGMA mmap_size=268435456; SELECT count(*) FROM t' | tail -1)" 1200 rows
	assert_equal "$(sqlite3 "$m/t.db" 'PRAGMA integrity_check')" ok
	assert_equal "$(sqlite3 "$b/t.db" 'PRAGMA integrity_check')" ok "underneath"
	rm "$m"/t.db*
}

@test "A23: SQLite with a write-ahead log, memory maps, four users: integrity in every cache mode" {
	local mode
	make_fs ext4 600M
	b=$fs/b m=$tmp/m
	mkdir "$b" "$m"
	for mode in auto none always; do
		mount_weirfs "$b" "$m" "cache=$mode"
		sqlite_load wal
		sqlite_load delete
		unmount_weirfs "$m"
	done
}

@test "A25: git clone, commit, gc, worktree and fsck leave a clean repository" {
	over ext4
	git init -q "$m/origin"
	cp -R "$top"/{src,tests,tools} "$m/origin/"
	cd "$m/origin"
	git add .
	git commit -qm first
	cd "$m"
	git clone -q origin clone
	git clone -q --no-local origin packed
	cd "$m/clone"
	for ((i = 0; i < 20; i++)); do
		echo "$i" >>"file$i"
		git add .
		git commit -qm "change $i"
	done
	git worktree add -q ../tree
	(cd ../tree && echo more >new && git add new && git commit -qm tree)
	git gc -q --aggressive --prune=now
	git repack -adq
	git fsck --full --strict --no-progress
	assert_equal "$(git status --porcelain)" ""
	git push -q origin HEAD:refs/heads/pushed
	git -C ../origin fsck --full --no-progress
	drop_caches
	assert_equal "$(git status --porcelain)" ""
	cd "$tmp"
}

make_varied_tree() {
	mkdir -p "$1"/a/b/c
	echo text >"$1/a/f"
	dd if=/dev/urandom of="$1/a/b/random" bs=1000 count=777 status=none
	truncate -s 3M "$1/a/sparse"
	echo tail >>"$1/a/sparse"
	ln "$1/a/f" "$1/a/b/hard"
	ln -s ../f "$1/a/b/soft"
	ln -s /nowhere/at/all "$1/a/dangling"
	mkfifo "$1/a/fifo"
	mknod "$1/a/null" c 1 3
	: >"$1/a/empty"
	echo x >"$1/a/"$'new\nline \xff'
	chmod 4711 "$1/a/f"
	chmod 2775 "$1/a/b"
	chmod 1777 "$1/a/b/c"
	chown 40001:40010 "$1/a/b/random"
	chown -h 40001:40010 "$1/a/b/soft"
	setfattr -n user.test -v value "$1/a/f"
	setfacl -m u:40001:r "$1/a/empty"
	setfacl -d -m g:40010:rwx "$1/a/b/c"
	cp -R "$top/src" "$1/src"
	find "$1" -exec touch -h -d "2001-02-03 04:05:06.700800900" {} +
	touch -d "1999-12-31 23:59:59.123456789" "$1/a/f" "$1/a/empty" "$1/a/b"
}

@test "tar brings a tree with all its metadata in and out" {
	over ext4
	mkdir from
	make_varied_tree from
	tar -C from --xattrs --xattrs-include='*' --acls -cpf one.tar .
	mkdir "$m/x"
	tar -C "$m/x" --xattrs --xattrs-include='*' --acls -xpf one.tar
	assert_same_trees from "$m/x"
	assert_same_trees from "$b/x"
	tar -C "$m/x" --xattrs --xattrs-include='*' --acls -cpf "$m/two.tar" .
	mkdir back
	tar -C back --xattrs --xattrs-include='*' --acls -xpf "$m/two.tar"
	assert_same_trees from back
}

@test "rsync and cp -a bring a tree with all its metadata in and out" {
	in_place ext4
	mkdir from back
	make_varied_tree from
	rsync -aHAXS --devices --specials from/ "$m/x/"
	assert_same_trees from "$m/x"
	cp -a "$m/x" "$m/y"
	assert_same_trees from "$b/y"
	rsync -aHAXS --devices --specials --checksum "$m/y/" back/
	assert_same_trees from back
	# a second run finds nothing to do
	assert_equal "$(rsync -aHAXSn --itemize-changes from/ "$m/x/")" ""
}

@test "a tree that is made on the mount looks the same from both sides" {
	over btrfs
	make_varied_tree "$m/t"
	assert_same_trees "$m/t" "$b/t"
	drop_caches
	assert_same_trees "$m/t" "$b/t"
}

@test "gcc builds and what it built runs" {
	over ext4
	cp -R "$top/src" "$top/tests" "$m/"
	cd "$m"
	gcc -D_GNU_SOURCE -I"$build" -I. -Isrc -Itests/lib -o posixcheck tests/lib/posix*.c tests/lib/check.c
	mkdir run
	./posixcheck -m 'rename moves' run
	cd "$tmp"
}
