# SPDX-License-Identifier: GPL-2.0-or-later
# What is installed and not code. Sorted.

bashcompdir = $(datadir)/bash-completion/completions
dist_bashcomp_DATA = data/completions/weir data/completions/weirfs

systemdunitdir = $(prefix)/lib/systemd/system
nodist_systemdunit_DATA = data/weirfs@.service
EXTRA_DIST += data/weirfs@.service.in
CLEANFILES += data/weirfs@.service

data/weirfs@.service: data/weirfs@.service.in Makefile
	@$(MKDIR_P) data
	$(AM_V_GEN)$(SED) 's|[@]sbindir@|$(sbindir)|g' $(srcdir)/data/weirfs@.service.in >$@.new
	@mv $@.new $@

profiledir = $(pkgdatadir)/profiles
dist_profile_DATA =

# mount(8) looks for mount.weirfs in /sbin: there it is with --prefix=/usr, where /sbin is /usr/sbin.
install-exec-hook:
	ln -sf weirfs $(DESTDIR)$(sbindir)/mount.weirfs

uninstall-hook:
	rm -f $(DESTDIR)$(sbindir)/mount.weirfs
