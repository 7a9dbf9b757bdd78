# gpugauge doctor on a machine of rpm's: its database, dnf's locks and logs, as files below a root.
load common

# A database as rpm 4.16 and later makes it, with two packages of the stack and one that is none of it.
make_rpm_tree() {
  mkdir -p tree/etc/dnf/plugins tree/var/lib/rpm tree/var/log
  printf 'PRETTY_NAME="Rocky Linux 9.4"\nID=rocky\nVERSION_ID="9.4"\n' >tree/etc/os-release
  "$PYTHON" - <<'PY'
import sqlite3, struct
def header(fields):
    index, data = b"", b""
    for tag, value in fields:
        text = isinstance(value, str)
        if not text: data += b"\0" * (-len(data) % 4)
        index += struct.pack(">IIII", tag, 6 if text else 4, len(data), 1)
        data += value.encode() + b"\0" if text else struct.pack(">I", value)
    return struct.pack(">II", len(fields), len(data)) + index + data
base = sqlite3.connect("tree/var/lib/rpm/rpmdb.sqlite")
base.execute("CREATE TABLE 'Packages' (hnum INTEGER PRIMARY KEY AUTOINCREMENT, blob BLOB NOT NULL)")
base.execute("CREATE TABLE 'Name' (key 'TEXT' NOT NULL, hnum INTEGER NOT NULL, idx INTEGER NOT NULL, FOREIGN KEY (hnum) REFERENCES 'Packages'(hnum))")
for name, version, release, epoch in (("nvidia-driver", "580.95.05", "1.el9", 3), ("libcudnn9-cuda-13", "9.13.0.50", "1", 0), ("glibc", "2.34", "100.el9", 0), ("vim", "9.1", "1", 0)):
    fields = [(1000, name), (1001, version), (1002, release)] + ([(1003, epoch)] if epoch else []) + [(1011, "NVIDIA Corporation")]
    number = base.execute("INSERT INTO Packages(blob) VALUES(?)", (header(fields),)).lastrowid
    base.execute("INSERT INTO Name VALUES(?, ?, 0)", (name, number))
base.commit()
PY
}

items() {
  gpugauge doctor --root tree --json >report.json || [ $? -le 3 ]
  "$PYTHON" -c 'import json; [print(i["key"], i["value"] if i["answer"] == "present" else i["answer"]) for i in json.load(open("report.json"))["inventory"]["items"]]'
}

@test "rpm's packages, dnf's lock on the driver, and what it says of the system" {
  make_rpm_tree
  echo 'nvidia-driver-3:580.95.05-1.el9.*' >tree/etc/dnf/plugins/versionlock.list
  items >items.txt
  if grep -q '^packages.database unreadable' items.txt; then skip "this build lacks SQLite (libsqlite3-dev)"; fi
  grep -qx 'packages.database rpm' items.txt
  grep -qx 'package.nvidia-driver.version 3:580.95.05-1.el9' items.txt
  grep -qx 'package.nvidia-driver.held yes' items.txt
  grep -qx 'package.libcudnn9-cuda-13.held no' items.txt
  grep -qx 'host.libc glibc 2.34' items.txt
  run ! grep -q '^package.vim' items.txt
  # Nothing is written beside what is inspected.
  [ "$(ls tree/var/lib/rpm)" = rpmdb.sqlite ]
}

@test "the driver's changes from dnf's log, rotated and packed, and production's warning about what is not held" {
  make_rpm_tree
  printf '2026-08-03T10:22:01+0000 SUBDEBUG Upgrade: nvidia-driver-3:580.95.05-1.el9.x86_64\n2026-08-03T10:22:09+0000 SUBDEBUG Upgraded: nvidia-driver-3:580.65.06-1.el9.x86_64\n' |
    gzip >tree/var/log/dnf.rpm.log.1.gz
  items >items.txt
  grep -q '^driver.history.0 \(2026-08-03 10:22:01 upgrade nvidia-driver 580.65.06 -> 580.95.05\|unreadable\)' items.txt ||
    grep -q '^driver.history unreadable' items.txt
  gpugauge doctor --root tree --policy production >said.txt || [ $? -le 3 ]
  grep -q 'packages are not held at their version' said.txt || grep -q 'packages.database unreadable' items.txt
}

@test "zypper's locks on module and libcuda clear production's warning" {
  make_rpm_tree
  printf 'ID=sles\nVERSION_ID="15.6"\n' >tree/etc/os-release
  items >items.txt
  if grep -q '^packages.database unreadable' items.txt; then skip "this build lacks SQLite (libsqlite3-dev)"; fi
  gpugauge doctor --root tree --policy production >said.txt || [ $? -le 3 ]
  grep -q 'zypper addlock nvidia-driver' said.txt
  mkdir -p tree/etc/zypp
  printf '\ntype: package\nmatch_type: glob\ncase_sensitive: on\nsolvable_name: nvidia-driver\n' >tree/etc/zypp/locks
  gpugauge doctor --root tree --policy production >said.txt || [ $? -le 3 ]
  run ! grep -q 'not held at their version' said.txt
}

@test "a database that is none, or is damaged, is said to be unread with the command that reads it" {
  mkdir -p tree/var/lib/rpm
  head -c 4096 /dev/urandom >tree/var/lib/rpm/rpmdb.sqlite
  run gpugauge doctor --root tree --all
  [ "$status" -le 3 ]
  [[ $output == *"packages.database"*unreadable*"rpm -qa"* ]]
  rm -r tree
  make_rpm_tree
  truncate -s 9000 tree/var/lib/rpm/rpmdb.sqlite
  run gpugauge doctor --root tree --all
  [ "$status" -le 3 ]
}

@test "a database whose tables are views without an end is left" {
  mkdir -p tree/var/lib/rpm
  "$PYTHON" - <<'PY'
import sqlite3
base = sqlite3.connect("tree/var/lib/rpm/rpmdb.sqlite")
endless = "WITH RECURSIVE more(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM more) SELECT n AS hnum, 'nv' || n AS key, zeroblob(1) AS blob FROM more"
base.execute("CREATE VIEW Packages AS " + endless)
base.execute("CREATE VIEW Name AS " + endless)
base.commit()
PY
  run timeout 60 gpugauge doctor --root tree --all
  [ "$status" -le 3 ]
  [[ $output == *"packages.database"*unreadable*"rpm -qa"* ]]
}

@test "a database that computes a column, or holds more than tables, is left" {
  local change
  for change in "DROP TABLE Name" "CREATE VIEW more AS SELECT 1" "ALTER TABLE Name ADD COLUMN more AS (hex(key))" \
    "CREATE TABLE old AS SELECT * FROM Packages; DROP TABLE Packages; CREATE TABLE Packages (hnum INTEGER PRIMARY KEY, kept BLOB, blob AS (kept)); INSERT INTO Packages SELECT hnum, blob FROM old"; do
    rm -rf tree
    make_rpm_tree
    items >items.txt
    if grep -q '^packages.database unreadable' items.txt; then skip "this build lacks SQLite (libsqlite3-dev)"; fi
    "$PYTHON" -c 'import sqlite3, sys; sys.exit(sqlite3.sqlite_version_info < (3, 31))' || skip "this SQLite computes no columns"
    "$PYTHON" -c 'import sqlite3, sys; sqlite3.connect("tree/var/lib/rpm/rpmdb.sqlite").executescript(sys.argv[1])' "$change"
    items >items.txt
    grep -qx 'packages.database unreadable' items.txt
  done
}
