#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2154  # single quotes: expanded by the programs made of it; variables come from record_fakes
# scripts/record where a machine is lent for minutes: what begins, what is counted of it, and what is left when it is killed.

load record_fakes

@test "within a budget nothing begins for which too little is left, by the least it needs or by what it took before" {
  record all --budget 149
  [ "$status" -eq 1 ]
  [[ "$output" == *"Not begun, for too little is left of 149 s: ratios run spread check "*"faults-gpu faults-inside faults-products faults-math faults-framework"* ]]
  [[ "$output" == *"faults-start: "*"(at most 1"??" s)"* ]]
  [ "$(grep -c '^test_gpu' "$CALLS")" -eq 5 ]  # once alone, once under each tool of compute-sanitizer
  record ratios --budget 235
  [[ "$output" == *"ratios: "*"(at most 2"??" s)"* ]]
  record all --budget 149 --again
  [[ "$output" == *"too little is left of 149 s: run spread check "*"faults-gpu"* ]]
  record all --budget soon
  [ "$status" -eq 2 ]
}

@test "a stage of faults begins with the time for its healthy rounds and one fault, and ends itself in what there is" {
  record faults-gpu --budget 249
  [[ "$output" == *"Not begun, for too little is left of 249 s: faults-gpu"* ]]
  record faults-gpu --budget 300
  [[ "$output" == *"faults-gpu: "*"(at most "@(300|29?)" s)"* ]]
  grep -qE 'kill-after=20 (260|25[0-9]) ' "$tree/build/record/faults-gpu/provenance.json"
  for file in "$tree"/scripts/record.d/faults-*.sh; do
    least="$(sed -n 's/^STAGE_LEAST=//p' "$file")"
    # Time for a healthy round and a faulty one, beside the 40 s to end.
    [ "$least" -gt 100 ] && [ "$least" -lt 480 ]
  done
}

@test "a stage that a budget cut short is run again where there is more time, and one that had its limit is not" {
  test_says IsExact '<failure message="copy.cu:7\&\#x0A;expected 0"/>'
  TEST_STATUS=1 record gpu-tests --budget 200
  [ "$(grep -c '^test_gpu' "$CALLS")" -eq 1 ]
  TEST_STATUS=1 record gpu-tests --budget 220
  [[ "$output" == *"--again runs it once more"* ]]
  TEST_STATUS=1 record gpu-tests
  [ "$(grep -c '^test_gpu' "$CALLS")" -eq 2 ]
  TEST_STATUS=1 record gpu-tests
  [[ "$output" == *"--again runs it once more"* ]]
  [ "$(grep -c '^test_gpu' "$CALLS")" -eq 2 ]
}

@test "where time is short the ratios leave some to the run, and what a budget cut short comes after what is not recorded" {
  record ratios --budget 540
  [[ "$output" == *"ratios: "*"(at most 240 s)"* ]]
  grep -q 'kill-after=20 150 ' "$tree/build/record/ratios/provenance.json"
  record ratios --again
  [[ "$output" == *"ratios: "*"(at most 480 s)"* ]]
  change run 'it.update(complete=False, partial_reason="a signal ended it", processes=it["processes"][:2])'
  record run --budget 240
  grep -qE 'kill-after=20 (200|19[0-9]) ' "$tree/build/record/run/provenance.json"
  record all --budget 479
  begun="$(sed -n 's/^\([a-z-]*\): .*(at most .*/\1/p' <<<"$output" | tr '\n' ' ')"
  echo "$begun"
  [ "$begun" = "doctor gpu-tests sanitizer check pytorch launch links faults-gpu faults-inside faults-products faults-math faults-start faults-framework run " ]
}

@test "where time is short the spread is counted from a partial run of three processes, and from a whole one later" {
  change run 'it.update(complete=False, partial_reason="a signal ended it", processes=it["processes"][:2])'
  record run
  record spread --budget 100
  [[ "$output" == *"too little is left of 100 s: spread"* ]]
  made "$BATS_TEST_TMPDIR"
  cp "$BATS_TEST_TMPDIR/run" "$MADE/run"
  change run 'it.update(complete=False, partial_reason="a signal ended it", processes=it["processes"][:3])'
  record run --again
  record spread --budget 100
  [[ "$(row spread)" == *"recorded: 2 of 2 metrics within the spread asked for; no answer: fewer than 5 processes, partial  "* ]]
  grep -q '^| memory/copy/cold:bandwidth | 3 | 0.00% | 0.00% | 0.5% | reached, and 5 processes are asked for |$' "$tree/build/record/spread/spread.md"
  cp "$BATS_TEST_TMPDIR/run" "$MADE/run"
  record run --again
  record spread --budget 100
  [ "$status" -eq 0 ]
  [ "$(grep -c '^run ' "$CALLS")" -eq 3 ]
}

@test "after each stage the archive holds what is recorded, whole, and it needs no xz" {
  cat >"$BATS_TEST_TMPDIR/fakes/xz" <<'TEXT'
#!/bin/sh
exit 9
TEXT
  chmod +x "$BATS_TEST_TMPDIR/fakes/xz"
  file="$tree/build/record/all.tar.xz"
  mkdir -p "$tree/build/record"
  # The second stage keeps what the archive holds when it begins, and fails; the third kills this command as a hard limit does.
  sed -i "s#^stage_commands() {#&\n  echo 'cp \"$file\" $BATS_TEST_TMPDIR/between; exit 7'#" "$tree/scripts/record.d/gpu-tests.sh"
  printf '%s\n' STAGE_ORDER=11 STAGE_TITLE=Killed STAGE_PROVES=nothing STAGE_SECONDS=10 \
    'stage_commands() { echo '\''kill -KILL "$(sed -n "s/^PPid:[^0-9]*//p" "/proc/$PPID/status")" "$PPID" "$$"'\''; }' >"$tree/scripts/record.d/killed.sh"
  record all --archive "$file"
  [ "$status" -eq 137 ]
  listed() { python3 -m tarfile -l "$1" | sed 's# *$##' | sort | tr '\n' ' '; }
  [ "$(listed "$BATS_TEST_TMPDIR/between")" = "record/doctor/ record/doctor/commands.sh record/doctor/doctor.json record/doctor/doctor.md record/doctor/doctor.txt record/doctor/log.txt record/doctor/provenance.json record/doctor/summary.json " ]
  [[ "$(listed "$file")" == *"record/doctor/summary.json record/gpu-tests/ record/gpu-tests/commands.sh record/gpu-tests/log.txt record/gpu-tests/provenance.json " ]]
  # What is unpacked elsewhere is a recording.
  python3 -m tarfile -e "$file" "$BATS_TEST_TMPDIR/there"
  [[ "$(row doctor --output "$BATS_TEST_TMPDIR/there/record")" == *"recorded: 2 of 2 facts read"* ]]
}

@test "an archive that cannot be written costs no recording, and what was there before stays" {
  record run --archive "$tree/nowhere/all.tar.xz"
  [ "$status" -eq 2 ]
  [ ! -s "$CALLS" ]
  echo earlier >"$tree/all.tar.xz"
  mkdir "$tree/all.tar.xz.new"
  record run --archive "$tree/all.tar.xz"
  [ "$status" -eq 2 ]
  [[ "$output" == *"all.tar.xz could not be written, or not anew; what is recorded lies in "* ]]
  [[ "$(row run)" == *"recorded: 2 of 2 benchmarks measured"* ]]
  [ "$(cat "$tree/all.tar.xz")" = earlier ]
  rmdir "$tree/all.tar.xz.new"
  record run --archive "$tree/all.tar.xz"  # also where all is recorded already
  python3 -m tarfile -l "$tree/all.tar.xz" | grep -q record/run/run.json
}

@test "a process that holds the log open does not hold up the next stage" {
  sed -i 's/^LOG_SECONDS=20$/LOG_SECONDS=1/' "$tree/scripts/lib/record.sh"
  printf '%s\n' STAGE_ORDER=1 STAGE_TITLE=Stuck STAGE_PROVES=nothing STAGE_SECONDS=10 \
    'stage_commands() { echo "setsid sleep 60 & echo \$! >\"\$HEARD\"; sleep .5; exit 1"; }' >"$tree/scripts/record.d/stuck.sh"
  start=$SECONDS
  record stuck
  [ $((SECONDS - start)) -lt 30 ]
  kill "$(cat "$HEARD")"
}

@test "the GPU's node is held open while stages run, and no stage inherits it" {
  echo >"$BATS_TEST_TMPDIR/node7"
  sed -i "s#/dev/nvidia\[0-9\]\*#$BATS_TEST_TMPDIR/node[0-9]*#" "$tree/scripts/lib/record.sh"
  program gpugauge 'case "$1" in --version) echo 1 ;; run)
    { ls -l /proc/self/fd; echo held; ls -l /proc/[0-9]*/fd/8; } >"$HEARD" 2>/dev/null; true ;; esac'
  record run
  cat "$HEARD"
  sed -n '/^held$/,$p' "$HEARD" | grep -q /node7
  [[ "$(sed '/^held$/,$d' "$HEARD")" != */node7* ]]
}

@test "the kernels of libraries are asked for behind the ratios, in processes of their own, and no figure of these counts" {
  mkdir -p "$tree/build/ci/libexec/gpugauge"
  printf '#!/bin/sh\n%s\n' '[ -n "$GPUGAUGE_KERNEL_NAMES" ] && exit 9
    echo "names $*" >>"$CALLS"
    for word; do case "$word" in --gpugauge_samples=*) file="${word#*=}" ;; esac; done
    echo "{\"schema\": \"gpugauge.samples/1\", \"benchmarks\": [{\"id\": \"cub/reduce\", \"notes\": {\"kernel\": \"DeviceReduce\"},
      \"metrics\": [{\"name\": \"bandwidth\", \"value\": 99}]}]}" >"$file"
    exit "$NAMES_STATUS"' >"$tree/build/ci/libexec/gpugauge/gpugauge-bench-cub"
  chmod +x "$tree/build/ci/libexec/gpugauge/gpugauge-bench-cub"
  export NAMES_STATUS=139
  record ratios
  [ "$status" -eq 0 ]
  [[ "$(row ratios)" == *"recorded: 34 of 34 ratios reached  "* ]]
  [[ "$(tail -n 1 "$CALLS")" == "names --gpugauge_window=0.02 "*"--benchmark_filter=^(cub/histogram|cub/reduce|"*")$" ]]
  grep -qF '| primitive/reduce:bandwidth | cub/reduce:bandwidth, by `DeviceReduce` | 1.000 | 0.98 | reached |' "$tree/build/record/ratios/ratios.md"
  grep -qF '| cub/scan/exclusive:bandwidth | 1.000 |' "$tree/build/record/ratios/ratios.md"
}

@test "a sample file of kernels' names that ends in the middle costs the names alone" {
  mkdir -p "$tree/build/ci/libexec/gpugauge"
  printf '#!/bin/sh\n%s\n' 'for word; do case "$word" in --gpugauge_samples=*) echo "{\"schema\": \"gpug" >"${word#*=}" ;; esac; done
    exit 139' >"$tree/build/ci/libexec/gpugauge/gpugauge-bench-cub"
  chmod +x "$tree/build/ci/libexec/gpugauge/gpugauge-bench-cub"
  record ratios
  [ "$status" -eq 0 ]
  [[ "$(row ratios)" == *"recorded: 34 of 34 ratios reached  "* ]]
  grep -qF '| primitive/reduce:bandwidth | cub/reduce:bandwidth | 1.000 | 0.98 | reached |' "$tree/build/record/ratios/ratios.md"
}
