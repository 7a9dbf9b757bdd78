# shellcheck shell=bash
# What the scripts of the fault table stand on. The working folder is the row's own, and holds
#   out.json        only where the row says so
#   earlier.json    a run file of the family `good`
#   state/          GPUGAUGE_STATE, with earlier.json in it as a run that was stored
#   libexec/        GPUGAUGE_LIBEXEC: the families `good` and `bad`
#   tmp/            TMPDIR, which must be empty at the end
set -u

# shellcheck disable=SC2034  # for the rows
HOST="--device host --profile smoke --quiet"

# Waits until a condition holds, at most 20 s.
wait_until() {
  local i
  for ((i = 0; i < 400; i++)); do
    if "$@" >/dev/null 2>&1; then return 0; fi
    sleep 0.05
  done
  echo "never held: $*" >&2
  return 1
}

# Starts a command in the background; $command is then its process id. Its output goes to the file `log`.
start() {
  "$@" >log 2>&1 &
  command=$!
}
# Waits for it, shows what it said, and returns its exit code.
finish() {
  local status=0
  wait "$command" || status=$?
  cat log
  return "$status"
}
# The family `bad` says with `here` that it has come so far.
here() { wait_until test -e "libexec/here"; }

python() { "$GPUGAUGE_PYTHON" "$@"; }
is_root() { [ "$(id -u)" = 0 ] || { echo "it needs root"; return 1; }; }
# A small file system, gone at the end. Where this machine does not allow it, the row is skipped by `needs`.
can_mount() {
  is_root || return 1
  unshare --mount true 2>/dev/null || { echo "it needs the right to mount"; return 1; }
}
has_history() {
  if gpugauge history --help 2>&1 | grep -q 'Not in this build'; then
    echo "this build has no history"
    return 1
  fi
}
