# SPDX-License-Identifier: BSD-3-Clause
"""Messages in a kernel's log that are failures."""
import re

# Messages of the kernel's own checks: lockdep, RCU, the sanitizers, the watchdogs, the allocators.
COMPLAINTS = re.compile(
    r"\bBUG\b|WARNING:|\bOops\b|Kernel panic|Call [Tt]race:|cut here|Unable to handle kernel|"
    r"general protection fault|[Uu]nhandled .*(abort|fault) .*kernel|invalid opcode|"
    r"K[AC]SAN|UBSAN|kmemleak: [1-9]|"
    r"possible (recursive|circular|irq) lock|inconsistent lock state|suspicious RCU usage|"
    r"Invalid wait context|bad unlock balance|held lock freed|still held|"
    r"rcu.*(stall|detected expedited)|soft lockup|hard LOCKUP|blocked for more than|hung_task|"
    r"scheduling while atomic|sleeping function called|"
    r"refcount_t|list_(add|del) corruption|Bad page|Bad rss-counter|page allocation failure|"
    r"Objects remaining|use-after-free|double free|slab.*(corrupt|poison)|"
    r"VFS: Busy inodes|sysfs: cannot create duplicate|kobject.*(tried to|does not have)|"
    r"DEBUG_LOCKS|ODEBUG|Out of memory|rtmutex.*deadlock|Unloaded tainted|disagrees about version|"
    r"exit_robust|nobody cared|irq \d+: ")

# Harmless messages while the kernel boots, which match COMPLAINTS.
HARMLESS = re.compile(r"[Cc]ommand line: |stall warnings timeout set to|"
                      r"RCU callback .* debug is enabled|KernelAddressSanitizer initialized|kcsan: (enabled|strict)")

# Taint flags that the module sets: it is built out of the tree, and not signed.
TAINTS_ALLOWED = 1 << 12 | 1 << 13


def complaint(line):
    return bool(COMPLAINTS.search(line)) and not HARMLESS.search(line)


def taints(value):
    return value & ~TAINTS_ALLOWED
