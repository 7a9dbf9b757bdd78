"""Prints what a traced command changed outside its own folder, a line each.

    writes.py CALLS FOLDER       CALLS: what `strace -f -y -e trace=file` wrote, with the working folder FOLDER

Nothing that failed counts, no place that keeps nothing (/dev/null), and no file of a build that counts what ran (.gcda). Ends with 1 when there is such a line, and with 2
when CALLS holds no change at all: then nothing was traced.
"""

import os
import re
import sys

# Calls that change what their path names, all of their paths. Of the rest, opening counts when it is for writing.
CHANGING = re.compile(
    r"^(creat|mkdir|mkdirat|rmdir|rename|renameat|renameat2|unlink|unlinkat|link|linkat|symlink|symlinkat|mknod|mknodat|chmod|"
    r"fchmodat|chown|lchown|fchownat|truncate|setxattr|lsetxattr|utime|utimes|utimensat)\("
)
OPENING = re.compile(r"^(open|openat|openat2)\(.*\bO_(WRONLY|RDWR|CREAT|TRUNC|APPEND)\b")
NOTHING_KEPT = {"/dev/null", "/dev/full", "/dev/tty"}


def paths(call, folder):
    """The paths of a call, absolute; those beside a descriptor are taken from the folder that -y shows for it."""
    for base, path in re.findall(r'(?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"((?:[^"\\]|\\.)*)"', call):
        yield os.path.normpath(os.path.join(base or folder, path))


def main():
    calls, folder = sys.argv[1], os.path.realpath(sys.argv[2])
    changes, outside = 0, set()
    for line in open(calls, errors="replace"):
        call = re.sub(r"^\d+\s+", "", line)
        if " = -1 " in call or not (CHANGING.match(call) or OPENING.match(call)):
            continue
        changes += 1
        for path in paths(call, folder):
            if "O_TMPFILE" in call:  # a file without a name, in the folder that the path names
                path = os.path.join(path, "unnamed")
            real = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
            if real not in NOTHING_KEPT and not real.startswith(folder + "/") and not real.endswith(".gcda"):
                outside.add(f"{call.split('(')[0]} {path}")
    print("\n".join(sorted(outside)))
    if changes == 0:
        print("nothing was traced")
    return 1 if outside else 2 if changes == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
