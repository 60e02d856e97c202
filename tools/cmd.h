/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The commands: each takes its own argc and argv (argv[0] is its name) and returns an exit code. */
#ifndef TOOLS_CMD_H
#define TOOLS_CMD_H

/* X(name, one line about it) in the order of the help. */
#define COMMAND_TABLE(X)                                              \
	X(stat, "what was measured: tables by operation and by file") \
	X(latency, "how long operations took: histograms")            \
	X(top, "what happens right now, interval by interval")        \
	X(dump, "what is in a trace: operations as text, JSON, CSV")  \
	X(merge, "several traces, or parts of one, as one")           \
	X(salvage, "a whole trace out of a damaged one")              \
	X(export, "traces in the formats of other tools")             \
	X(import, "traces of other programs become one of ours")      \
	X(ctl, "reset the counts, set delays, change the log level")  \
	X(list, "the live weirfs mounts of this machine")             \
	X(doctor, "does this machine have what weirfs needs?")

#define X(name, summary) int cmd_##name(int argc, char **argv);
COMMAND_TABLE(X)
#undef X

#endif
