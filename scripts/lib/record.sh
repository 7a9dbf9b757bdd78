# shellcheck shell=bash
# What scripts/record is made of. A stage is a file scripts/record.d/NAME.sh that sets STAGE_ORDER (a number: cheap and
# telling stages first), STAGE_TITLE and STAGE_SECONDS (at most 480), and defines stage_commands DIR, which prints one shell
# command a line. They run in order in DIR's parent process, with BUILD, OUT (= DIR), GPU_UUID and CUDA_VISIBLE_DEVICES set;
# the first that fails ends the stage. Files in DIR stay small: at most 16 MiB each.

# Names of all stages in their order.
all_stages() {
  local file
  for file in "$ROOT"/scripts/record.d/*.sh; do
    printf '%s %s\n' "$(sed -n 's/^STAGE_ORDER=//p' "$file")" "$(basename "$file" .sh)"
  done | sort -n | cut -d ' ' -f 2
}

# load_stage NAME: sets STAGE_TITLE and STAGE_SECONDS and defines stage_commands.
load_stage() {
  unset -f stage_commands
  # shellcheck disable=SC1090
  source "$ROOT/scripts/record.d/$1.sh"
  ((STAGE_SECONDS <= 480)) || fail 2 "Stage $1 asks for $STAGE_SECONDS s; a stage may take 480 s at most."
}

# find_build DIR: sets BUILD, or ends the script.
find_build() {
  local candidate
  for candidate in ${1:+"$1"} "$ROOT"/build/{ci,release,dev,check}; do
    if [[ -x "$candidate/bin/gpugauge" ]]; then
      BUILD="$(cd "$candidate" && pwd)"
      return 0
    fi
    [[ -z "$1" ]] || break
  done
  fail 2 "There is no built gpugauge in ${1:-build/ci, build/release, build/dev or build/check}; build one (cmake --workflow --preset ci) or name it with --build."
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

# One line about the build: its version, commit and toolkit, as the command itself says it.
build_identity() { "$BUILD/bin/gpugauge" --version 2>&1 | tr '\n' ' ' | sed 's/ *$//'; }

# What a proof holds for.
proof_key() { printf '%s | %s | %s' "$GPU_UUID" "$BOOT_ID" "$(build_identity)"; }

# stage_state NAME: proven, not proven, failed, proven elsewhere.
stage_state() {
  # shellcheck disable=SC2154  # output comes from scripts/record
  local marker="$output/$1/finished"
  if [[ ! -f "$marker" ]]; then
    [[ -f "$output/$1/failed" ]] && echo "failed" || echo "not proven"
  elif [[ "$(<"$marker")" == "$(proof_key)" ]]; then
    echo "proven"
  else
    echo "proven for another GPU, boot or build"
  fi
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
  done < <(stage_commands "$1")
  {
    printf '{\n'
    printf '  "stage": %s,\n  "title": %s,\n' "$(json_text "$2")" "$(json_text "$STAGE_TITLE")"
    printf '  "date": %s,\n' "$(json_text "$(date -u +%Y-%m-%dT%H:%M:%SZ)")"
    printf '  "gpu_name": %s,\n  "gpu_uuid": %s,\n' "$(json_text "$GPU_NAME")" "$(json_text "$GPU_UUID")"
    printf '  "boot_id": %s,\n  "driver": %s,\n' "$(json_text "$BOOT_ID")" "$(json_text "$DRIVER")"
    printf '  "kernel": %s,\n' "$(json_text "$(uname -srm)")"
    printf '  "build": %s,\n' "$(json_text "$(build_identity)")"
    printf '  "commands": [%s],\n' "$commands"
    printf '  "exit_status": %d,\n  "seconds": %d\n}\n' "$3" "$4"
  } >"$1/provenance.json.new"
  mv "$1/provenance.json.new" "$1/provenance.json"
}

# record_stage NAME: runs the loaded stage; returns 0 when it is proven.
record_stage() {
  local name="$1" folder="$output/$1" start="$SECONDS" status=0 command
  rm -rf "$folder.new"
  mkdir -p "$folder.new"
  say "$name: $STAGE_TITLE (at most $STAGE_SECONDS s)"
  export BUILD GPU_UUID OUT="$folder.new" CUDA_VISIBLE_DEVICES="$GPU_UUID"
  {
    printf 'set -euo pipefail\n'
    stage_commands "$folder.new"
  } >"$folder.new/commands.sh"
  # In the foreground, so that Ctrl-C reaches it; SIGTERM first, so that a half-done run can still be written.
  timeout --foreground --kill-after=15 "$STAGE_SECONDS" bash "$folder.new/commands.sh" 2>&1 | tee "$folder.new/log.txt" || status=${PIPESTATUS[0]}
  unset CUDA_VISIBLE_DEVICES
  command="$((SECONDS - start))"
  write_provenance "$folder.new" "$name" "$status" "$command"
  if ((status == 0)); then
    proof_key >"$folder.new/finished"
  else
    printf '%s\n' "$status" >"$folder.new/failed"
  fi
  if ((status != 0)) && [[ -f "$folder/finished" ]]; then
    # An earlier proof is never lost to a later failure.
    rm -rf "$folder.failed" && mv "$folder.new" "$folder.failed"
    say "$name: failed with status $status after $command s; see $folder.failed/log.txt (the earlier proof is kept)"
    return 1
  fi
  rm -rf "$folder"
  mv "$folder.new" "$folder"
  if ((status == 0)); then
    say "$name: proven (${command} s)"
  elif ((status == 124 || status == 137)); then
    say "$name: ran past its $STAGE_SECONDS s; see $folder/log.txt"
    return 1
  else
    say "$name: failed with status $status after $command s; see $folder/log.txt"
    return 1
  fi
}

# Copies the shared libraries of the binaries into BUILD/carried: all but those of the C library and the loader.
carry_libraries() {
  local binary library count=0
  rm -rf "$BUILD/carried"
  mkdir -p "$BUILD/carried"
  while IFS= read -r library; do
    cp -L "$library" "$BUILD/carried/"
    count=$((count + 1))
  done < <(
    for binary in "$BUILD"/bin/* "$BUILD"/libexec/gpugauge/*; do
      [[ -f "$binary" && -x "$binary" ]] && ldd "$binary" 2>/dev/null
    done | sed -n 's/.*=> \(\/[^ ]*\) .*/\1/p' | sort -u |
      grep -vE '/(ld-linux[^/]*|lib(c|m|dl|rt|pthread|resolv|util|cuda|nvidia-ml)\.so[.0-9]*)$'
  )
  say "$count libraries in $BUILD/carried ($(du -sh "$BUILD/carried" | cut -f 1)); take along bin, libexec, share and carried of $BUILD."
}

# Uses BUILD/carried only where the command does not start with this machine's own libraries.
use_carried_libraries() {
  "$BUILD/bin/gpugauge" --version >/dev/null 2>&1 && return 0
  if [[ -d "$BUILD/carried" ]]; then
    export LD_LIBRARY_PATH="$BUILD/carried${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
  fi
  "$BUILD/bin/gpugauge" --version >/dev/null 2>&1 ||
    fail 2 "$BUILD/bin/gpugauge does not start here ($("$BUILD/bin/gpugauge" --version 2>&1 | head -n 1)); run scripts/record --carry where it was built, and take $BUILD/carried along."
}
