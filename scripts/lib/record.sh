# shellcheck shell=bash
# What scripts/record is made of. A stage is a file scripts/record.d/NAME.sh that sets STAGE_ORDER (a number: first what tells most a
# second), STAGE_TITLE, STAGE_PROVES (the claim that it is to bear out, as docs/testing.md has it), STAGE_SECONDS (at most 480) and,
# where it is so, STAGE_LEAST (seconds with which it is worth beginning, where that is less: what it has measured by then is kept),
# STAGE_ALONE=yes (not part of `all`) and STAGE_OWN_LIBRARIES=yes (never with NVIDIA's wheels), and defines
# stage_commands, which prints shell commands, one a line. They run in order with ROOT, BUILD, OUT (the stage's folder), GPU_UUID and
# CUDA_VISIBLE_DEVICES set; the first that fails ends the stage. What may run long ends itself before STAGE_SECONDS, which may be
# less than in the file, so that what it measured is kept. The last one writes OUT/summary.json
# by scripts/lib/recorded.py: how much was asked, how much was reached, what fell short and what gave no answer. A stage that ends
# with 0 and holds a summary is recorded, however little it reached. Files in OUT stay small, for they are kept with the sources: a
# stage with one of more than 16 MiB has failed.

# Names of all stages in their order.
all_stages() {
  local file
  for file in "$ROOT"/scripts/record.d/*.sh; do
    printf '%s %s\n' "$(sed -n 's/^STAGE_ORDER=//p' "$file")" "$(basename "$file" .sh)"
  done | sort -n | cut -d ' ' -f 2
}

# load_stage NAME: sets what the stage's file sets and defines stage_commands.
load_stage() {
  unset -f stage_commands
  # shellcheck disable=SC2034  # STAGE_ALONE is read by scripts/record
  STAGE_PROVES="" STAGE_ALONE="" STAGE_OWN_LIBRARIES="" STAGE_LEAST=""
  # shellcheck disable=SC1090
  source "$ROOT/scripts/record.d/$1.sh"
  ((STAGE_SECONDS <= 480)) || fail 2 "Stage $1 asks for $STAGE_SECONDS s; a stage may take 480 s at most."
  [[ -n "$STAGE_PROVES" ]] || fail 2 "Stage $1 does not say what it proves: scripts/record.d/$1.sh lacks STAGE_PROVES."
}

# find_build DIR: sets BUILD; fails with BUILD_PROBLEM.
find_build() {
  local candidate
  BUILD="" BUILD_PROBLEM=""
  for candidate in ${1:+"$1"} "$ROOT"/build/{ci,release,dev,check}; do
    if [[ -x "$candidate/bin/gpugauge" ]]; then
      BUILD="$(cd "$candidate" && pwd)"
      return 0
    fi
    [[ -z "$1" ]] || break
  done
  # shellcheck disable=SC2034  # read by scripts/record
  BUILD_PROBLEM="There is no built gpugauge in ${1:-build/ci, build/release, build/dev or build/check}; build one (cmake --workflow --preset ci) or name it with --build."
  return 1
}

# find_gpu UUID: sets GPU_UUID, GPU_NAME, DRIVER and BOOT_ID; fails with GPU_PROBLEM where no GPU answers.
find_gpu() {
  local rows row
  GPU_UUID="" GPU_NAME="" DRIVER="" GPU_PROBLEM=""
  BOOT_ID="$(cat /proc/sys/kernel/random/boot_id 2>/dev/null || echo unknown)"
  if ! command -v nvidia-smi >/dev/null; then
    GPU_PROBLEM="nvidia-smi is not installed"
    return 1
  fi
  if ! rows="$(timeout 60 nvidia-smi --query-gpu=uuid,name,driver_version --format=csv,noheader 2>&1)"; then
    GPU_PROBLEM="nvidia-smi says: $(head -n 1 <<<"$rows")"
    return 1
  fi
  while IFS= read -r row; do
    if [[ "$row" == GPU-* && (-z "$1" || "${row%%,*}" == "$1") ]]; then
      GPU_UUID="${row%%,*}"
      row="${row#*, }"
      GPU_NAME="${row%%, *}" DRIVER="${row##*, }"
      return 0
    fi
  done <<<"$rows"
  # shellcheck disable=SC2034  # read by scripts/record
  GPU_PROBLEM="nvidia-smi lists no GPU ${1:+with the UUID $1}"
  return 1
}

# Sets BUILD_IDENTITY, one line about the build: version, commit and toolkit as the command says them, and a hash of what runs, for a
# commit may be built in many ways. Empty without a build, and never with one: nothing would be compared then.
identify_build() {
  local said hash
  BUILD_IDENTITY=""
  [[ -n "$BUILD" ]] || return 0
  said="$("$BUILD/bin/gpugauge" --version 2>/dev/null | tr '\n' ' ')" || said="no version told "
  hash="$({ echo "$BUILD/bin/gpugauge" && measuring_programs; } | xargs -d '\n' cat | sha256sum)"
  BUILD_IDENTITY="${said}files ${hash:0:12}"
}

# limited SECONDS: the words before a gpugauge that ends, with what it has, after SECONDS: in the foreground, that is in the stage's own
# process group, so that what ends the stage ends this too.
limited() { echo "timeout --foreground --preserve-status --kill-after=20 $1"; }

# measure_commands FILE SECONDS PROCESS_SECONDS OPTIONS: a run into OUT/FILE. Whatever it ended with, what counts is the run file, which
# names what failed, what could not be had and what there was no time for.
measure_commands() {
  cat <<TEXT
status=0
$(limited "$2") "\$BUILD/bin/gpugauge" run $4 --process-limit $3 --output "\$OUT/$1" || status=\$?
[ -s "\$OUT/$1" ] || exit "\$status"
TEXT
}

# without_kernel_names: what is measured after it reads no kernels' names through CUPTI, which is foreign code in the measuring process;
# only what is judged by names needs them.
without_kernel_names() { echo "export GPUGAUGE_KERNEL_NAMES=off"; }

# whole_run_here FOLDER: the stage `run` is recorded there for what is here, and its run file lacks nothing.
whole_run_here() {
  local status=0
  recorded state "$1" >/dev/null || status=$?
  ((status < 2)) && grep -qE '"complete": *true' "$1/run.json"
}

# spread_here FOLDER: likewise, and its run file, which may be partial, holds enough processes of each metric whose spread is asked for.
spread_here() {
  local status=0 table
  recorded state "$1" >/dev/null || status=$?
  ((status < 2)) && table="$(python3 -B "$ROOT/scripts/lib/ratios.py" --spread "$1/run.json" 2>/dev/null || [[ $? -eq 1 ]])" &&
    [[ "$table" != *" | needs "* ]]
}

# ours_here FOLDER: the stage `ratios` is recorded there for what is here, and holds this project's side of the ratios against PyTorch.
ours_here() {
  local status=0 lacks
  recorded state "$1" >/dev/null || status=$?
  ((status < 2)) && [[ -s "$1/ratios-run.json" ]] || return 1
  lacks="$(python3 -B "$ROOT/scripts/lib/ratios.py" --pytorch "$1/ratios-run.json" | grep -oE '[^ ]+ was not measured' | grep -v '^torch/')" || true
  [[ -z "$lacks" ]]
}

# only_commands WORD...: fills \$only with the options that choose what ratios.py needs, as far as it is installed.
only_commands() {
  cat <<TEXT
only=()
while IFS= read -r id; do only+=(--only "\$id"); done < <(python3 -B "\$ROOT/scripts/lib/ratios.py" $* --ids |
  python3 -B "\$ROOT/scripts/lib/recorded.py" installed "\$BUILD/bin/gpugauge" list --profile deep --json)
[ "\${#only[@]}" -gt 0 ] || { echo "Nothing that the ratios need is installed here."; exit 1; }
TEXT
}

# suites_commands FILE SECONDS EACH OPTIONS: the GPU tests into OUT/FILE, one process a suite.
suites_commands() {
  cat <<TEXT
python3 -B "\$ROOT/scripts/lib/suites.py" "\$OUT/$1" --seconds $2 --each $3 $4 "\$BUILD/bin/test_gpu"
TEXT
}

# fault_commands OPTIONS FAULT...: commands of a stage that sets these faults once each, on the devices and with what else OPTIONS say.
# 1: some were not found or not named; 3: its own limit, or none could be tried. The certificate says which, and what was not tried.
fault_commands() {
  local options="$1" only
  shift
  only="$(printf -- ' --only %s' "$@")"
  cat <<TEXT
status=0
env -u CUDA_VISIBLE_DEVICES $(limited $((STAGE_SECONDS - 40))) "\$BUILD/bin/gpugauge" selftest --inject $options$only --output "\$OUT/certificate.json" || status=\$?
[ "\$status" -le 1 ] || [ "\$status" -eq 3 ]
python3 -B "\$ROOT/scripts/lib/recorded.py" count faults "\$OUT/certificate.json" >"\$OUT/summary.json"
TEXT
}

# jobs_commands MOST: sets \$jobs, how many processes may share the GPU: as many as there are processors, MOST at most; one where its
# compute mode lets only one in.
jobs_commands() {
  cat <<TEXT
jobs="\$(nproc)"
[ "\$jobs" -le $1 ] || jobs=$1
[ "\$(nvidia-smi --id="\$GPU_UUID" --query-gpu=compute_mode --format=csv,noheader)" = Default ] || jobs=1
TEXT
}

# recorded COMMAND...: scripts/lib/recorded.py, told what is here.
recorded() {
  GPU_UUID="$GPU_UUID" BOOT_ID="$BOOT_ID" DRIVER="$DRIVER" BUILD_IDENTITY="$BUILD_IDENTITY" \
    python3 -B "$ROOT/scripts/lib/recorded.py" "$@"
}

# stage_state NAME: prints how it stands. 0 all reached, 1 recorded but short of it, 2 not recorded for what is here.
stage_state() {
  # shellcheck disable=SC2154  # output comes from scripts/record
  recorded state "$output/$1"
}

# fits NAME LEFT: whether the loaded stage is to begin with LEFT seconds: that is STAGE_LEAST, or what it took when it was recorded and a
# minute, or its limit. Sets STAGE_SECONDS to no more than LEFT.
fits() {
  local needed
  needed="$(recorded seconds "$output/$1")"
  # Bash would run what stands in a number's place.
  if [[ "$needed" =~ ^[0-9]{1,6}$ ]]; then
    needed="$((10#$needed + 60))"  # as long again as its programs get to end themselves
  else
    needed="${STAGE_LEAST:-$STAGE_SECONDS}"
  fi
  ((needed < STAGE_SECONDS)) || needed="$STAGE_SECONDS"
  ((needed <= $2)) || return 1
  ((STAGE_SECONDS <= $2)) || STAGE_SECONDS="$2"
}

# cut_short NAME LEFT: whether the loaded stage was recorded with less time than its limit, and there is more now; LEFT is "" where there
# is no end.
cut_short() {
  local limit
  limit="$(recorded limit_seconds "$output/$1")"
  [[ "$limit" =~ ^[0-9]{1,6}$ ]] || return 1
  ((10#$limit < STAGE_SECONDS)) && [[ -z "$2" || "$2" -gt $((10#$limit + 60)) ]]
}

# json_text STRING: a JSON string.
json_text() {
  local text="$1"
  text="${text//\\/\\\\}"
  text="${text//\"/\\\"}"
  text="${text//$'\t'/ }"
  printf '"%s"' "$(tr -d '\000-\037' <<<"$text")"
}

# write_provenance DIR STAGE STATUS SECONDS: who measured what, where, with what.
write_provenance() {
  local commands line
  commands=""
  while IFS= read -r line; do
    commands+="${commands:+, }$(json_text "$line")"
  done < <(stage_commands)
  {
    printf '{\n'
    printf '  "stage": %s,\n  "title": %s,\n' "$(json_text "$2")" "$(json_text "$STAGE_TITLE")"
    printf '  "proves": %s,\n' "$(json_text "$STAGE_PROVES")"
    printf '  "date": %s,\n' "$(json_text "$(date -u +%Y-%m-%dT%H:%M:%SZ)")"
    printf '  "gpu_name": %s,\n  "gpu_uuid": %s,\n' "$(json_text "$GPU_NAME")" "$(json_text "$GPU_UUID")"
    printf '  "boot_id": %s,\n  "driver": %s,\n' "$(json_text "$BOOT_ID")" "$(json_text "$DRIVER")"
    printf '  "kernel": %s,\n' "$(json_text "$(uname -srm)")"
    printf '  "build": %s,\n' "$(json_text "$BUILD_IDENTITY")"
    printf '  "commands": [%s],\n' "$commands"
    printf '  "exit_status": %d,\n  "seconds": %d,\n  "limit_seconds": %d\n}\n' "$3" "$4" "$STAGE_SECONDS"
  } >"$1/provenance.json.new" && sync "$1/provenance.json.new" && mv "$1/provenance.json.new" "$1/provenance.json"
}

LOG_SECONDS=20

# run_limited DIR: DIR/commands.sh for at most STAGE_SECONDS, its output in DIR/log.txt and shown; 124 or 137 where it ran past them.
# In a process group of its own, all of which is sent SIGTERM, so that a run half done is still written, and SIGKILL 15 s later.
run_limited() {
  local pid log status=0 end
  mkfifo "$1/output"
  tee "$1/log.txt" <"$1/output" &
  log=$!
  timeout --kill-after=15 "$STAGE_SECONDS" bash "$1/commands.sh" >"$1/output" 2>&1 </dev/null 8<&- 9>&- &
  pid=$!
  # timeout passes it on to the group.
  trap 'kill -TERM "$pid" 2>/dev/null; interrupted=yes' INT TERM HUP
  wait "$pid" || status=$?
  while kill -0 "$pid" 2>/dev/null; do
    status=0
    wait "$pid" || status=$?
  done
  trap - INT TERM HUP
  # timeout leads the group: what is left of it would hold the GPU, and the log open.
  kill -KILL -- "-$pid" 2>/dev/null || true
  # A process that left the group, or is stuck in the kernel, may hold the log open for ever.
  end=$((SECONDS + LOG_SECONDS))
  while kill -0 "$log" 2>/dev/null && ((SECONDS < end)); do sleep 0.05; done
  kill "$log" 2>/dev/null || true
  wait "$log" || true
  rm "$1/output"
  return "$status"
}

# Keeps one client of the GPU open, on descriptor 8, which no stage inherits: without persistence mode the driver starts the GPU anew
# for a process that finds none, in seconds. It changes no setting, and without a node that may be opened it does nothing.
hold_gpu() {
  local node
  for node in /dev/nvidia[0-9]*; do
    { exec 8<"$node"; } 2>/dev/null && break
  done
  return 0
}

# write_archive: the file of --archive, where that is wanted, with all that is recorded so far. That it fails costs no recording.
write_archive() {
  # shellcheck disable=SC2154  # archive and output come from scripts/record
  [[ -n "$archive" ]] || return 0
  archived=failed
  # shellcheck disable=SC2034  # read by scripts/record
  recorded archive "$output" "$archive" && archived=yes
  return 0
}

# record_stage NAME: runs the loaded stage; returns 0 when all of it is reached, 1 when it fell short or failed.
record_stage() {
  local name="$1" folder="$output/$1" start="$SECONDS" status=0 seconds interrupted="" state large
  rm -rf "$folder.new"
  mkdir -p "$folder.new"
  say "$name: $STAGE_TITLE (at most $STAGE_SECONDS s)"
  export BUILD GPU_UUID OUT="$folder.new" CUDA_VISIBLE_DEVICES="$GPU_UUID"
  {
    printf 'set -euo pipefail\n'
    if [[ -n "$WHEEL_FOLDERS" && -z "$STAGE_OWN_LIBRARIES" ]]; then
      # Behind what LD_LIBRARY_PATH names, before what the loader finds elsewhere: also a library of NVIDIA's that is there is then that
      # of the wheels, so that all are of one release. Each run says which it was.
      printf 'export LD_LIBRARY_PATH=%q\n' "${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$WHEEL_FOLDERS"
    fi
    stage_commands
  } >"$folder.new/commands.sh"
  run_limited "$folder.new" || status=$?
  unset CUDA_VISIBLE_DEVICES
  seconds="$((SECONDS - start))"
  if ((status == 0)) && [[ ! -s "$folder.new/summary.json" ]]; then
    say "$name: its commands wrote no summary.json" | tee -a "$folder.new/log.txt"
    status=2
  fi
  large="$(find "$folder.new" -type f -size +16M -printf '%P ')"
  if [[ -n "$large" ]]; then
    say "$name: larger than 16 MiB, which is too much to keep: ${large% }" | tee -a "$folder.new/log.txt"
    status=2
  fi
  if ! write_provenance "$folder.new" "$name" "$status" "$seconds"; then
    say "$name: who measured it could not be written (is the disk full?)"
    status=2
  fi
  if ((status == 0)); then
    # Aside first: between the two moves the earlier one still lies there.
    rm -rf "$folder.before" "$folder.failed"
    [[ ! -e "$folder" ]] || mv "$folder" "$folder.before"
    mv "$folder.new" "$folder" && rm -rf "$folder.before"
  elif [[ -s "$folder/summary.json" ]]; then
    # What was recorded before is never lost to a later failure.
    rm -rf "$folder.failed"
    mv "$folder.new" "$folder.failed"
    say "$name: failed after $seconds s; see $folder.failed/log.txt (what was recorded before is kept)"
  else
    rm -rf "$folder"
    mv "$folder.new" "$folder"
    say "$name: failed after $seconds s; see $folder/log.txt"
  fi
  write_archive
  [[ -z "$interrupted" ]] || fail 130 "Interrupted during $name; scripts/record goes on with it when started again."
  state="$(stage_state "$name")" || {
    say "$name: $state ($seconds s)"
    return 1
  }
  say "$name: $state ($seconds s)"
  return "$((status == 0 ? 0 : 1))"
}
