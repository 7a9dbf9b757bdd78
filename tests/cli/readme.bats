# The commands that the README shows for every day, as they are written, on a GPU that is none (fake_gpu.bash).
load common
load pages
load fake_gpu
export WIDE=yes

# Runs that the commands need: two sides of a change, and results of one node.
made_before() {
  local side
  mkdir old new results
  for side in old new results; do
    for i in 1 2; do gpugauge run --device 0 --quiet --output "$side/$i.json" >/dev/null; done
  done
}

# ended STATUS COMMAND...: each command that begins so ended with that status.
ended() {
  local command status="" seen=""
  while IFS= read -r line; do
    if [[ $line == '$ '* ]]; then command="${line#'$ '}"; fi
    if [[ $line =~ ^\[([0-9]+)\]$ && $command == "$2"* ]]; then
      seen=yes status="${BASH_REMATCH[1]}"
      if [[ $status != "$1" ]]; then
        echo "'$command' ended with $status, not $1" >&2
        return 1
      fi
    fi
  done <<<"$output"
  if [[ -z $seen ]]; then
    echo "the README shows no command that begins with '$2'" >&2
    return 1
  fi
}

@test "day to day: every command is known and does what it is shown for" {
  one_gpu
  driver 580.65.06 # one that the CUDA 13.0 which it reports is of
  made_before
  # frameworks asks the Python on PATH: one without any framework answers at once, everywhere. Its probes lie
  # beside the families.
  ln -s "$GPUGAUGE_SOURCE/scripts/frameworks" "$GPUGAUGE_LIBEXEC/frameworks"
  "$PYTHON" -m venv --without-pip venv
  PATH="$PWD/venv/bin:$PATH"
  page_commands "$GPUGAUGE_SOURCE/README.md" "Day to day" >commands
  # What is diagnosed was written by a check before, which had something to compare with.
  gpugauge baseline create -n 5 --device 0 --quiet --state-dir before >/dev/null
  gpugauge check --device 0 --quiet --state-dir before --observation seen.json >/dev/null || true
  echo "Failed to initialize NVML: Driver/library version mismatch" >job.log
  run -0 page_run <commands
  echo "$output"
  # `status` among them: what it says rests on the kernel, which knows nothing of this GPU.
  [[ $output != *$'\n[2]'* ]]
  for command in "gpugauge baseline create" "gpugauge check --device 0" "gpugauge check --report" "gpugauge compare" \
    "gpugauge baseline list" "gpugauge history ingest" "gpugauge doctor lock" \
    "gpugauge explain" "gpugauge selftest  " "gpugauge list"; do
    ended 0 "$command"
  done
  # One node is no fleet, no framework is installed here, no family measures the host that most faults are set on,
  # and a script holds no kernel: none of it is a pass.
  for command in "gpugauge fleet" "gpugauge frameworks" "gpugauge selftest --inject" "gpugauge codegen"; do ended 3 "$command"; done
  ended 1 "gpugauge diagnose" # of a log that names a cause
  [ -s gauge.xml ] && [ -s gauge.html ] && [ -s stack.lock ]
}
