# shellcheck shell=bash
# Shared by every script: words, versions, jobs, steps with their time and log. Source it; it changes no option of the shell.
ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
export ROOT
LOGS="$ROOT/build/log"

# Reads scripts/versions.env into variables PIN_<NAME>.
read_versions() {
  local line
  while IFS= read -r line; do
    [[ "$line" =~ ^([A-Z0-9_]+)=(.*)$ ]] && printf -v "PIN_${BASH_REMATCH[1]}" '%s' "${BASH_REMATCH[2]}"
  done <"$ROOT/scripts/versions.env"
  return 0
}
read_versions

say() { printf '%s\n' "$*"; }
warn() { printf '%s\n' "$*" >&2; }
# fail CODE SENTENCE: ends the script. 2 is a tool error, 3 "cannot judge" or "not possible on this machine".
fail() {
  local code="$1"
  shift
  warn "$*"
  exit "$code"
}

# own_folder FOLDER: makes FOLDER, or ends with 3 and the line that gives it back, where this user may not write it: a
# call as root, of a version that did not give it back, may have made it.
own_folder() {
  mkdir -p "$1" 2>/dev/null && [[ -w "$1" ]] && return 0
  local made="$1"
  while [[ ! -e "$made" ]]; do made="$(dirname "$made")"; done
  fail 3 "$made belongs to $(stat -c %U "$made") and cannot be written by $(id -un); give back what is built here with: sudo chown -R $(id -un) $ROOT/.venv $ROOT/build"
}

# give_back: what root makes here belongs to the tree's owner: a user goes on where `sudo scripts/NAME` ended. A trap at the script's end.
give_back() {
  local made
  ((EUID == 0)) && [[ "$(stat -c %u "$ROOT")" != 0 ]] || return 0
  for made in "$ROOT/.venv" "$ROOT/build"; do
    [[ ! -e "$made" ]] || chown -hR --reference="$ROOT" "$made" || warn "$made could not be given to the owner of $ROOT."
  done
}

# hold NAME WORD: until this script ends or lets NAME go, no other script of this tree holds it; one that is waited for is named, by
# the WORD that says what it does here. What a script holds, it holds for those that it calls, too. Where .venv can be neither made nor
# written nothing is held.
hold() {
  local file="$ROOT/.venv/.lock.$1" fd owner="" process
  [[ "|${GPUGAUGE_HELD:-}" != *"|$file|"* ]] && command -v flock >/dev/null || return 0
  mkdir -p "$ROOT/.venv" 2>/dev/null || return 0
  { { exec {fd}<>"$file"; } 2>/dev/null || { exec {fd}<"$file"; } 2>/dev/null; } || return 0
  if ! flock -n "$fd"; then
    IFS= read -r owner <"$file" || true
    process="${owner#*(process }"
    [[ -d "/proc/${process%% *}" ]] || owner="another script"
    warn "Waiting for $owner, which $2 here."
    flock "$fd" || return 0
  fi
  { printf '%s (process %d of %s, since %s)\n' "$(realpath --relative-to="$ROOT" "$0")" "$$" "$(id -un)" "$(date +%H:%M)" >"$file"; } 2>/dev/null || true
  export GPUGAUGE_HELD="${GPUGAUGE_HELD:-}$file|"
  HELD_BY["$1"]="$fd"
}
declare -A HELD_BY=()

# let_go NAME: what this script holds, and not what the one holds that called it.
let_go() {
  local fd="${HELD_BY[$1]:-}"
  [[ -n "$fd" ]] || return 0
  exec {fd}>&-
  unset "HELD_BY[$1]"
  GPUGAUGE_HELD="${GPUGAUGE_HELD/"$ROOT/.venv/.lock.$1|"/}"
}

# version_at_least HAVE WANT
version_at_least() { [[ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" == "$2" ]]; }

# Parallel compile jobs: one a CPU this process may use, and at least 1.5 GiB of free memory each.
jobs_count() {
  local cpus memory limit
  cpus="$(nproc 2>/dev/null || echo 1)"
  memory="$(awk '/^MemAvailable:/ { print int($2 / 1572864) }' /proc/meminfo 2>/dev/null || echo "$cpus")"
  limit="$(cat /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes 2>/dev/null | head -n 1)"
  if [[ "$limit" =~ ^[0-9]+$ ]] && ((limit / 1610612736 < memory)); then
    memory=$((limit / 1610612736))
  fi
  ((memory < cpus)) && cpus="$memory"
  ((cpus < 1)) && cpus=1
  echo "$cpus"
}

# Where a long command stands, from the end of its log: ninja's "[12/34]" or ctest's "12/34 Test", else nothing.
_log_position() {
  tail -c 4000 "$1" 2>/dev/null | tr '\r' '\n' | grep -oE '^\[[0-9]+/[0-9]+\]|^ *[0-9]+/[0-9]+ Test' | tail -n 1 | tr -d '[] Test'
}

# logged NAME TITLE COMMAND...: runs COMMAND with its output in build/log/NAME.log, shows TITLE, how far it is and the
# seconds; on failure prints the end of the log and names the file. Returns COMMAND's status.
logged() {
  local name="$1" title="$2" log start pid status=0 shown=0 seconds
  shift 2
  own_folder "$LOGS"
  log="$LOGS/$name.log"
  rm -f "$log"  # it may be another user's
  start="$SECONDS"
  # A process group of its own, so that Ctrl-C ends the whole build and not only this script.
  set -m
  "$@" >"$log" 2>&1 </dev/null &
  pid=$!
  set +m
  # shellcheck disable=SC2064
  trap "kill -TERM -- -$pid 2>/dev/null; exit 130" INT TERM HUP
  while kill -0 "$pid" 2>/dev/null; do
    seconds=$((SECONDS - start))
    if [[ -t 1 ]]; then
      printf '\r\033[K%s %s (%d s)' "$title" "$(_log_position "$log")" "$seconds"
    elif ((seconds - shown >= 20)); then
      shown="$seconds"
      printf '  %s %s (%d s)\n' "$title" "$(_log_position "$log")" "$seconds"
    fi
    sleep 0.2
  done
  wait "$pid" || status=$?
  trap - INT TERM HUP
  seconds=$((SECONDS - start))
  [[ -t 1 ]] && printf '\r\033[K'
  if ((status == 0)); then
    printf '%s: done (%d s)\n' "$title" "$seconds"
  else
    printf '%s: failed with status %d after %d s; the end of %s:\n' "$title" "$status" "$seconds" "$log"
    tail -n 40 "$log"
  fi
  return "$status"
}

# Loads what scripts/setup found: CUDA_HOME, PATH, GPUGAUGE_PYTHON. Without it the environment stays as it is.
load_environment() {
  if [[ -f "$ROOT/.venv/env.sh" ]]; then
    # shellcheck disable=SC1091
    source "$ROOT/.venv/env.sh"
  fi
}

# configure PRESET [CMAKE ARGUMENT...]: configures build/PRESET; afresh when the CUDA compiler it was made with is gone or another.
configure() {
  local preset="$1" cache cached fresh=()
  shift
  own_folder "$ROOT/build/$preset"
  cache="$ROOT/build/$preset/CMakeCache.txt"
  if [[ -f "$cache" ]]; then
    cached="$(sed -n 's/^CMAKE_CUDA_COMPILER:[A-Z]*=//p' "$cache" | head -n 1)"
    if [[ -n "$cached" && "$cached" != *NOTFOUND && -n "${CUDA_HOME:-}" && "$cached" != "$CUDA_HOME/bin/nvcc" ]]; then
      fresh=(--fresh)
    fi
  fi
  (cd "$ROOT" && cmake --preset "$preset" "${fresh[@]}" "$@")
}

# build PRESET [NINJA ARGUMENT...]
build() {
  local preset="$1"
  shift
  cmake --build "$ROOT/build/$preset" -j "$(jobs_count)" "$@"
}
