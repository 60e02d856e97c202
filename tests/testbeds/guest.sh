#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# guest.sh SHARE SCRIPT: runs SHARE/SCRIPT in a kernel of its own (User-Mode Linux, an ordinary process).
#
# The guest sees this machine's files, but what it writes goes to memory; only SHARE is written
# through. It has two empty disks of 1 GiB, /dev/ubda and /dev/ubdb. Exit status: the script's, or 125
# when the guest died. GUEST_SECONDS bounds the whole (default 600).
#
# Debian: user-mode-linux kmod e2fsprogs xfsprogs iproute2, and nfs-kernel-server nfs-common rpcbind.
set -euo pipefail

share=$(realpath "$1") script=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
disks=$(mktemp -d "${TMPDIR:-/tmp}/weirfs-guest.XXXXXX")
trap 'rm -rf "$disks"' EXIT
truncate -s 1G "$disks/a" "$disks/b"
rm -f "$share/status"

kernel=(linux.uml mem="${GUEST_MEMORY:-1G}" "ubda=$disks/a" "ubdb=$disks/b" "umid=weirfs-$$"
	root=/dev/root rootfstype=hostfs rootflags=/ ro quiet panic=-1
	con=null ssl=null "con0=null,fd:1"
	"init=$here/guest-init.sh" "GUEST_SHARE=$share" "GUEST_SCRIPT=$script")
timeout "${GUEST_SECONDS:-600}" "${kernel[@]}" </dev/null 2>&1 || true
if [[ ! -s $share/status ]]; then
	exit 125
fi
exit "$(<"$share/status")"
