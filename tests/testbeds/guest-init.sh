#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The first process of a guest (guest.sh starts it). In two steps: it makes a root that can be
# written, whose lower layer is the host's, and goes there; then it starts what is needed of a
# system, runs the script and switches the machine off.
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
HOME=/root LANG=C.UTF-8
export PATH HOME LANG
modules=/usr/lib/uml/modules

say() {
	echo "guest: $(cut -d' ' -f1 /proc/uptime) s: $*"
}

make_root() {
	mount -t proc proc /proc
	# the kernel's command line is not all in our environment
	# shellcheck disable=SC2013 # words are meant
	for word in $(cat /proc/cmdline); do
		case $word in GUEST_*=*) export "${word?}" ;; esac
	done
	mount -t tmpfs -o size=70% tmpfs /run
	mkdir -p /run/layer /run/work /run/root /run/m/lib/modules
	mount -t hostfs none /run/m/lib/modules -o "$modules"
	modprobe -d /run/m overlay
	mount -t overlay -o lowerdir=/,upperdir=/run/layer,workdir=/run/work overlay /run/root
	cd /run/root || exit 1
	mkdir -p proc sys dev run tmp lib/modules "./$GUEST_SHARE"
	mount -t hostfs none "./$GUEST_SHARE" -o "$GUEST_SHARE"
	mount -t hostfs none lib/modules -o "$modules"
	mount -t proc proc proc
	mount -t sysfs sysfs sys
	mount -t devtmpfs devtmpfs dev
	mkdir -p dev/pts dev/shm
	mount -t devpts devpts dev/pts
	mount -t tmpfs tmpfs dev/shm
	mount -t tmpfs tmpfs run
	ln -s /proc/self/fd dev/fd 2>/dev/null
}

if [ "$1" != inside ]; then
	make_root || exit 1
	exec chroot . /bin/sh "$0" inside
fi

# shellcheck disable=SC3045 # dash has it
ulimit -c 0
ip link set lo up
modprobe -a fuse loop ext4 xfs 2>/dev/null
say "kernel $(uname -r)"
cd "$GUEST_SHARE" || exit 1
bash "./$GUEST_SCRIPT"
echo $? >"$GUEST_SHARE/status"
say "the script has ended with $(cat "$GUEST_SHARE/status")"
sync
echo o >/proc/sysrq-trigger
while :; do sleep 1; done
