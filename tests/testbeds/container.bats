#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# weirfs in containers that make loop devices themselves. The containers' root is this machine's, what
# they write there is thrown away: no image is needed.

# shellcheck disable=SC2030,SC2031 # every test is a process of its own
# shellcheck source=tests/lib/common.bash
. "$BATS_TEST_DIRNAME/../lib/common.bash"

setup() {
	weir_setup
	mkdir work
	inside=$BATS_TEST_DIRNAME/container-inside.sh
}

teardown() {
	weir_teardown
}

# In a mount namespace of its own: older container programs do not take a machine that has control
# groups of both kinds, so that the newer kind is put away for them. Limits are kept at what is given.
run_podman() {
	local files
	command -v podman >/dev/null || fail "the Debian package podman is missing"
	files=$(ulimit -Hn)
	cat >in-namespace <<-'END'
		if mountpoint -q /sys/fs/cgroup/unified; then umount /sys/fs/cgroup/unified; fi
		exec podman "$@"
	END
	unshare -m bash in-namespace --root "$tmp/storage" --runroot "$tmp/podman" --cgroup-manager cgroupfs \
		run --rm --network none --ulimit "nofile=$files:$files" --ulimit nproc=32768:32768 \
		"$@" -v "$tmp/work:$tmp/work" --rootfs /:O sh "$inside" "$build" "$tmp/work" 3>&-
}

both_done() {
	echo "$1"
	assert_contains "$1" "done ext4"
	assert_contains "$1" "done xfs"
}

@test "in a privileged container weirfs works over ext4 and XFS on its loop devices" {
	both_done "$(run_podman --privileged 2>&1)"
}

@test "in a container with few rights weirfs works over its loop devices" {
	local -a rights=(--cap-add SYS_ADMIN --cap-add MKNOD --security-opt seccomp=unconfined
		--security-opt apparmor=unconfined --device /dev/fuse --device /dev/loop-control)
	local node
	for node in /dev/loop[0-9]*; do rights+=(--device "$node"); done
	both_done "$(run_podman "${rights[@]}" 2>&1)"
}

@test "in namespaces of its own, without a container program, weirfs works too" {
	cat >in-namespace <<-'END'
		mount -t tmpfs -o mode=755 tmpfs "$1/layers"
		mkdir "$1/layers/up" "$1/layers/work" "$1/layers/root"
		cd "$1/layers/root"
		mount -t overlay -o "lowerdir=/,upperdir=$1/layers/up,workdir=$1/layers/work" overlay .
		cd "$1/layers/root"
		mount -t proc proc proc
		mount --rbind /dev dev
		mkdir -p ".$1/work"
		mount --bind "$1/work" ".$1/work"
		exec chroot . sh "$2" "$3" "$1/work"
	END
	mkdir layers
	both_done "$(unshare -m -p -u -i -n -f --kill-child bash -e in-namespace "$tmp" "$inside" "$build" 2>&1 3>&-)"
}
