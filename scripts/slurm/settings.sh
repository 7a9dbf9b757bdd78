# shellcheck shell=bash
# shellcheck disable=SC2034  # the scripts that source it use them
# Sourced by prolog, epilog, healthcheck and drain (gauge reads state= by itself), which Slurm starts with an almost empty environment: their settings, and running
# a command that may hang without hanging with it. What a setting means: slurm.conf.example.
PATH="${PATH:-/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin}"

# Settings, NAME=VALUE a line, from the file beside the scripts, else /etc/gpugauge/slurm.conf. Read, never executed.
gpugauge_command=gpugauge state="" max_age=28h device=all on_regression=report status_seconds=5 scontrol_seconds=10
read_settings() {
  local folder file line
  folder="$(dirname "${BASH_SOURCE[0]}")"
  for file in "$folder/slurm.conf" /etc/gpugauge/slurm.conf; do
    [[ -r "$file" ]] || continue
    while IFS= read -r line || [[ -n "$line" ]]; do
      case "$line" in
        gpugauge=*) gpugauge_command="${line#*=}" ;;
        state=*) state="${line#*=}" ;;
        max_age=*) max_age="${line#*=}" ;;
        device=*) device="${line#*=}" ;;
        path=*) PATH="${line#*=}:$PATH" ;;
        slurm_conf=*) export SLURM_CONF="${line#*=}" ;;
        on_regression=report | on_regression=drain) on_regression="${line#*=}" ;;
        "" | "#"*) ;;
        *) tell "$file: \"$line\" is no setting, and is passed over" ;;
      esac
    done <"$file"
    return 0
  done
}

# To the system's log where there is one.
to_log() {
  if [[ -S /dev/log ]] && command -v logger >/dev/null; then
    bounded 2 logger -t gpugauge -- "$*"
  fi
  return 0
}

# There, and to standard error, which Slurm keeps of a prolog.
tell() {
  printf 'gpugauge: %s\n' "$*" >&2
  to_log "$*"
}

# bounded SECONDS COMMAND...: runs it with its output on standard output, at most SECONDS; then it is killed, and left behind if it
# cannot even be killed (a file system or driver that hangs). Returns its status, 124 when it was too slow. The file that takes the
# output has no name while it runs: Slurm kills a prolog that takes too long, and nobody would remove it.
bounded() {
  local seconds="$1" out pid code=0 left written read
  shift
  out="$(mktemp "${TMPDIR:-/tmp}/gpugauge.XXXXXX")" || return 2
  exec {written}>"$out"
  exec {read}<"$out"
  rm -f "$out"
  setsid "$@" >&"$written" 2>&1 </dev/null 3>&- {read}<&- &
  pid=$!
  left=$((seconds * 20))
  while kill -0 "$pid" 2>/dev/null && ((left-- > 0)); do sleep 0.05; done
  if kill -0 "$pid" 2>/dev/null; then
    kill -KILL -- "-$pid" "$pid" 2>/dev/null
    disown "$pid" 2>/dev/null
    code=124
  else
    wait "$pid" || code=$?
  fi
  cat <&"$read"
  exec {written}>&- {read}<&-
  return "$code"
}

# worst CODE TEXT: the lines of `gpugauge status` that the code is for, on one line, with their number where they are several. The GPUs
# stand in order of their index, so that those that pass would fill what Slurm has room for. TEXT where no line is known.
worst() {
  local label='^([^:]|:[^ ])*: ' lines="" count
  case "$1" in
    1) lines="$(grep -E "$label(failed|regressed|missing|finding)[,:]" <<<"$2")" ;;
    3 | 4) lines="$(grep -vE "$label(pass|failed|regressed|missing|finding)[,:]" <<<"$2")" ;;
  esac
  count="$(grep -c . <<<"$lines")"
  ((count < 2)) || printf '%s devices: ' "$count"
  lines="${lines:-$2}"
  printf '%s' "${lines//$'\n'/; }" | tr '\t' ' ' | tr -d '\000-\037' | cut -c 1-300
}

# Sets verdict and words from the verdict that this node stored last: good, bad, unknown where none speaks for now, or unasked where
# gpugauge status could not be run. Measures nothing.
read_verdict() {
  local code=0 said
  [[ -z "$state" ]] || export GPUGAUGE_STATE="$state"
  said="$(bounded "$status_seconds" "$gpugauge_command" status --device "$device" --max-age "$max_age")" || code=$?
  words="$(worst "$code" "$said")"
  case "$code" in
    0) verdict=good ;;
    1) verdict=bad ;;
    3 | 4) verdict=unknown ;;
    124) verdict=unasked words="gpugauge status gave no answer within $status_seconds s" ;;
    126 | 127) verdict=unasked words="$gpugauge_command could not be started" ;;
    *) verdict=unasked words="gpugauge status ended with $code: $words" ;;
  esac
}

node_name() { printf '%s' "${SLURMD_NODENAME:-${SLURM_NODENAME:-$(uname -n | cut -d . -f 1)}}"; }

# Drains this node when the settings say so. Returns 0 when they do.
drain_if_asked() {
  [[ "$on_regression" == drain ]] || return 1
  "$(dirname "${BASH_SOURCE[0]}")/drain" "$(node_name)" "$words" >&2 || tell "$(node_name) could not be drained"
  return 0
}
