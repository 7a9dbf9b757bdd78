# Shared by the command-line tests: a private state directory each, and the command as it was built.
bats_require_minimum_version 1.5.0

setup() {
  export PYTHON="${GPUGAUGE_PYTHON:-python3}"
  export PATH="$GPUGAUGE_BUILD/bin:$PATH"
  export GPUGAUGE_STATE="$BATS_TEST_TMPDIR/state"
  # Tests run at the same time; what they measure is not the point, so that none waits for another's.
  # Its first 40 characters count: what differs stands there.
  export GPUGAUGE_DEVICE_LOCK="${BATS_RUN_TMPDIR##*-}.$BATS_TEST_NUMBER.${BATS_TEST_FILENAME##*/}"
  unset GPUGAUGE_LIBEXEC GPUGAUGE_BASELINES NO_COLOR COLUMNS
  # Tests that look for sentences set it, so that no line break stands within one.
  if [[ -n ${WIDE:-} ]]; then export COLUMNS=1000; fi
  cd "$BATS_TEST_TMPDIR" || exit
}

# One short real measurement: one benchmark, one process.
quick_run() {
  gpugauge run --device host --profile smoke --only 'host/clock_gettime*' --quiet --output "$1" "${@:2}"
}

# Processes of families that this test's command started, alive now.
families_of() {
  pgrep --parent "$1" --full gpugauge-bench- || true
}

# Waits until a condition holds, at most 20 s.
wait_until() {
  for _ in $(seq 200); do
    if "$@"; then return 0; fi
    sleep 0.1
  done
  echo "never held: $*" >&2
  return 1
}

has_gpu() {
  gpugauge probe devices | grep -q '"state": "usable"'
}

# edit_files PYTHON FILE...: changes the JSON object `it` of each file; `name` is its path.
edit_files() {
  "$PYTHON" - "$@" <<'PY'
import json, sys
for name in sys.argv[2:]:
    it = json.load(open(name))
    exec(sys.argv[1])
    json.dump(it, open(name, "w"))
PY
}

# edit FILE PYTHON: the same with one file.
edit() { edit_files "$2" "$1"; }

# as_hosts FILE...: makes runs of hosts of them, each in a boot of its own.
as_hosts() {
  edit_files 'it["device"], it["boot_id"] = "host", f"boot of {name}"
it["fingerprint"]["device"] = {key: value for key, value in it["fingerprint"]["device"].items() if key.startswith("host.")}' "$@"
}

# valid KIND FILE: what the command wrote against its schema.
valid() { "$PYTHON" "$GPUGAUGE_SOURCE/tests/validate_json.py" "$1" "$2"; }

# Runs a command as a user for whom rights count.
as_user() {
  if [ "$(id -u)" != 0 ]; then
    "$@"
    return
  fi
  chmod 755 "$BATS_RUN_TMPDIR" "$BATS_TEST_TMPDIR" "$(dirname "$BATS_TEST_TMPDIR")" 2>/dev/null || true
  setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/nonexistent "$@"
}
