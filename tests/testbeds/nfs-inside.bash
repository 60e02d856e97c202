# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2317 # the checks are called by name
# What nfs.bats has run in a guest: weirfs over NFSv3 (/n3 -> /f3) and NFSv4.2 (/n4 -> /f4).
# Each check is a function; its result is a line "ok NAME" or "not ok NAME" in the file results.
set -u
here=$TESTBEDS
# shellcheck source=tests/testbeds/nfs-server.bash
. "$here/nfs-server.bash"
PATH=$BUILD:$BUILD/tests/lib:$PATH
share=$PWD

server_side() {
	[[ $1 == 3 ]] && echo /srv/ext4 || echo /srv/xfs
}

# wait_for SECONDS COMMAND...
wait_for() {
	local end=$((SECONDS + $1))
	shift
	until "$@"; do
		((SECONDS < end)) || return 1
		sleep 0.2
	done
}

basic_io() {
	local f=/f$1 r
	r=$(server_side "$1")
	dd if=/dev/urandom of="$f/f" bs=64k count=64 conv=fsync status=none &&
		cmp "$f/f" "$r/f" &&
		ln "$f/f" "$f/g" && [[ $(stat -c %h "$f/f") == 2 ]] &&
		mv "$f/g" "$f/h" && rm "$f/h" && mkdir "$f/d" && rmdir "$f/d" &&
		[[ $(stat -c %h "$f/f") == 1 ]]
}

# A12
nothing_is_kept() {
	local f=/f$1 r i
	r=$(server_side "$1")
	for i in 1 2 3 4 5; do
		mkdir "$f/d" && : >"$f/d/f" && cat "$f/d/f" && echo x >>"$f/d/f" && rm "$f/d/f" && rmdir "$f/d" || return
	done
	[[ -z $(find "$r" -name '.nfs*') ]]
}

# A11
replaced_on_server() {
	local f=/f$1 r i
	r=$(server_side "$1")
	for i in 1 2 3; do
		echo "old $i" >"$f/replaced" && [[ $(<"$f/replaced") == "old $i" ]] || return
		echo "new $i, longer" >"$r/tmp" && mv "$r/tmp" "$r/replaced"
		# the client itself may keep attributes for some seconds
		wait_for 70 grep -qx "new $i, longer" "$f/replaced" || return
		[[ $(<"$f/replaced") == "new $i, longer" ]] || return
	done
}

# A14: what works on plain NFS works through weirfs, whose daemon is root and so nobody there
owner_with_root_squash() {
	local r way status=0
	r=$(server_side "$1")
	mkdir -m 777 "$r/squash-n" "$r/squash-f"
	chmod 777 "$r"/squash-?
	wait_for 70 test -d "/n$1/squash-n" && wait_for 70 test -d "/f$1/squash-f" || return
	export_as root_squash
	for way in n f; do
		setpriv --reuid 1000 --regid 1000 --clear-groups sh -c "
			set -e
			cd /$way$1/squash-$way
			echo x >f && mkdir d && ln f l && ln -s f s && mkfifo p && chmod 600 f
			echo y >>l && [ \"\$(wc -l <f)\" = 2 ] && mv f g && rm l" || status=1
		echo "$way: $status"
	done
	export_as no_root_squash
	((status == 0)) && [[ -z $(find "$r/squash-f" -mindepth 1 ! -uid 1000) && -s $r/squash-f/g ]]
}

# A30: another client of the same server
locks_between_clients() {
	local f=/f$1 c=/c$1
	: >"$f/lock"
	mount_client "$1" "$c" nosharecache || return
	flock -n "$f/lock" true && flock -n "$c/lock" true || return
	# who holds it here keeps it from there, and the other way round
	flock "$f/lock" sh -c "! flock -n $c/lock true" || { echo "both clients hold it"; return 1; }
	flock "$c/lock" sh -c "! flock -n $f/lock true" || { echo "both clients hold it"; return 1; }
	flock -n "$f/lock" true || return
	umount "$c"
}

locks_exclude() {
	mkdir -p "/f$1/storm" && lockstorm record 8 3 "/f$1/storm" && lockstorm flock 8 3 "/f$1/storm"
}

# What fails through weirfs must fail on plain NFS too.
posix_as_plain_nfs() {
	local f=/f$1 n=/n$1 part
	mkdir "$n/plain" "$n/ref" "$f/dir"
	: >"plain$1"
	: >"through$1"
	for part in rename link own group set truncat appen file direct mode time attribute symbolic; do
		posixcheck -m "$part" "$n/plain" >>"plain$1"
		posixcheck -m "$part" "$f/dir" "$n/ref" >>"through$1"
	done
	# the number differs with the part, the name is what counts
	comm -13 <(sed -n 's/^not ok [0-9]* - //p' "plain$1" | sort -u) \
		<(sed -n 's/^not ok [0-9]* - //p' "through$1" | sort -u) >"new$1"
	if [[ -s new$1 ]]; then
		cat "new$1"
		grep -B2 -F -f "new$1" "through$1"
		return 1
	fi
}

oracle() {
	fsoracle 1 800 "/f$1/oracle" && cmp "/f$1/oracle" "$(server_side "$1")/oracle"
}

storm() {
	mkdir "/n$1/plain-tree" && fsstorm 4 400 5 "/n$1/plain-tree" || return
	mkdir "/f$1/tree" && fsstorm 4 400 5 "/f$1/tree" &&
		diff <(cd "/f$1/tree" && find . -printf '%p %y %s\n' | sort) <(cd "$(server_side "$1")/tree" && find . -printf '%p %y %s\n' | sort)
}

# Writers wait for the server and go on where they were.
server_restart() {
	local f=/f$1 writer
	(for ((i = 0; i < 40; i++)); do echo "line $i" >>"$f/log" || exit 1; sleep 0.05; done) &
	writer=$!
	sleep 0.5
	stop_nfsd
	start_nfsd
	wait "$writer" && [[ $(wc -l <"$(server_side "$1")/log") == 40 ]]
}

check() {
	local name=$1 version=$2
	if "$name" "$version" >"$share/$name$version.out" 2>&1; then
		echo "ok $name$version"
	else
		echo "not ok $name$version"
	fi >>"$share/results"
	echo "$(cut -d' ' -f1 /proc/uptime) $name$version" >>"$share/times"
}

start_server >"$share/server.out" 2>&1
for version in 3 4; do
	mount_client $version /n$version >>"$share/server.out" 2>&1
	mkdir -p /f$version
	weirfs /n$version /f$version -f >"$share/weirfs$version.log" 2>&1 </dev/null &
	wait_for 20 grep -q " /f$version fuse.weirfs" /proc/mounts || echo "not ok mount$version" >>"$share/results"
	echo "ok mount$version" >>"$share/results"
	for name in basic_io nothing_is_kept replaced_on_server owner_with_root_squash locks_between_clients \
		locks_exclude oracle storm posix_as_plain_nfs server_restart; do
		check $name $version
	done
	umount /f$version && echo "ok unmount$version" >>"$share/results"
done
exit 0
