# SPDX-License-Identifier: BSD-3-Clause
# Each line of traps.def is for the machines that have the system call.
s/^\(TRAP\|ABSENT\)(\([a-z0-9_]*\).*/#ifdef SYS_\2\n&\n#endif/p
