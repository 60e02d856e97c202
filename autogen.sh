#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Makes ./configure from configure.ac. Needs autoconf, automake and pkg-config.
set -eu
cd "$(dirname "$0")"
for tool in autoreconf automake pkg-config; do
	command -v "$tool" >/dev/null || {
		echo "autogen.sh: $tool is missing: apt-get install autoconf automake pkg-config" >&2
		exit 1
	}
done
mkdir -p build-aux
exec autoreconf --force --install --warnings=all
