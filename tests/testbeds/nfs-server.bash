# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# An NFS server and its clients in one guest: ext4 by NFSv3 on /n3, XFS by NFSv4.2 on /n4.
# All state is in memory; the server's own view is below /srv.

export_options=rw,insecure,no_subtree_check

export_as() {
	exportfs -o "$export_options,$1,fsid=0,crossmnt" 127.0.0.1:/srv
	exportfs -o "$export_options,$1,fsid=11" 127.0.0.1:/srv/ext4
	exportfs -o "$export_options,$1,fsid=12" 127.0.0.1:/srv/xfs
}

start_nfsd() {
	rpc.nfsd --lease-time 10 --grace-time 10 4
	echo Y >/proc/fs/nfsd/v4_end_grace 2>/dev/null || true
}

stop_nfsd() {
	rpc.nfsd 0
}

start_server() {
	modprobe -a nfsd nfsv3 nfsv4
	mount -t tmpfs tmpfs /var/lib/nfs
	mkdir -p /var/lib/nfs/{rpc_pipefs,v4recovery,nfsdcld,sm,sm.bak} /run/rpcbind
	touch /var/lib/nfs/{etab,rmtab,state}
	chown -R statd: /var/lib/nfs/{sm,sm.bak,state}
	mount -t rpc_pipefs rpc_pipefs /var/lib/nfs/rpc_pipefs
	mount -t nfsd nfsd /proc/fs/nfsd
	rpcbind -w
	rpc.statd --no-notify
	mount -t tmpfs -o mode=755 tmpfs /srv
	mkdir /srv/ext4 /srv/xfs
	mkfs.ext4 -q -F -E lazy_itable_init=0,nodiscard /dev/ubda
	mkfs.xfs -q -f -K /dev/ubdb
	mount /dev/ubda /srv/ext4
	mount /dev/ubdb /srv/xfs
	export_as no_root_squash
	start_nfsd
	rpc.mountd
}

# mount_client VERSION POINT [OPTIONS]
mount_client() {
	mkdir -p "$2"
	case $1 in
	3) mount -t nfs -o "vers=3,proto=tcp,timeo=50,retrans=3${3:+,$3}" 127.0.0.1:/srv/ext4 "$2" ;;
	4) mount -t nfs -o "vers=4.2${3:+,$3}" 127.0.0.1:/xfs "$2" ;;
	esac
}
