#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2154  # single quotes: expanded by the programs made of it; variables come from record_fakes
# scripts/record on bad days and between machines: suites that crash, families that do not start, little time, what is carried and kept.
load record_fakes

# two_suites: the tests are two suites, Copy and Sum.
two_suites() {
  printf 'Copy.\n  IsExact\n  IsWhole\nSum.\n  IsRight  # GetParam() = 3\n' >"$MADE/listed"
  echo '<testsuites><testsuite name="Sum"><testcase name="IsRight" status="run" result="completed"/></testsuite></testsuites>' >"$MADE/Sum.xml"
}

# family NAME TEXT: a family of this build, a script.
family() {
  mkdir -p "$tree/build/ci/libexec/gpugauge"
  printf '#!/bin/sh\n%s\n' "$2" >"$tree/build/ci/libexec/gpugauge/gpugauge-bench-$1"
  chmod +x "$tree/build/ci/libexec/gpugauge/gpugauge-bench-$1"
}

@test "a suite that crashes is below, by name and with its signal, and costs no other" {
  two_suites
  CRASHES=Copy record gpu-tests
  [ "$status" -eq 1 ]
  [[ "$(row gpu-tests)" == *"recorded: 1 of 3 tests passed; below: Copy: was ended by signal 11 (SIGSEGV) in Copy.IsLast  "* ]]
}

@test "a suite that hangs is ended at its limit, and what there is no time for is no answer" {
  two_suites
  export GPU_MODE=Exclusive_Process
  sed -i 's/) 60 "/) 1 "/' "$tree/scripts/record.d/gpu-tests.sh"
  HANGS=Copy record gpu-tests
  [[ "$(row gpu-tests)" == *"recorded: 1 of 3 tests passed; below: Copy: ran past its 1 s  "* ]]
  sed -i 's/STAGE_SECONDS - 20)) 1/1)) 60/' "$tree/scripts/record.d/gpu-tests.sh"
  HANGS=Copy record gpu-tests --again
  [[ "$(row gpu-tests)" == *"recorded: 0 of 3 tests passed; below: Copy: ran past its 1 s; no answer: Sum.IsRight  "* ]]
  grep -q 'Sum.IsRight: there was no time for it' "$tree/build/record/gpu-tests/summary.json"
}

# suites_of_scripts: three suites; First and Second pass only where they run at the same time.
suites_of_scripts() {
  printf 'First.\n  Runs\nSecond.\n  Runs\nTimed.\n  Runs\n' >"$MADE/listed"
  program test_gpu '[ "$1" != --gtest_list_tests ] || { cat "$MADE/listed"; exit; }
    for word; do case "$word" in
      --gtest_filter=*) suite="${word#*=}"; suite="${suite%%.*}" ;;
      --gtest_output=xml:*) file="${word#*:}" ;;
    esac; done
    echo "$suite begins" >>"$CALLS"
    case "$suite" in
      First) other=Second ;;
      Second) other=First ;;
    esac
    touch "$MADE/$suite.came"
    for try in $(seq 100); do [ -z "$other" ] || [ -e "$MADE/$other.came" ] || sleep 0.1; done
    [ -z "$other" ] || [ -e "$MADE/$other.came" ] || exit 7
    echo "$suite ends" >>"$CALLS"
    echo "<testsuites><testsuite name=\"$suite\"><testcase name=\"Runs\" status=\"run\" result=\"completed\"/></testsuite></testsuites>" >"$file"'
}

@test "suites run side by side, but for those that are named alone, which run first" {
  suites_of_scripts
  python3 -B "$tree/scripts/lib/suites.py" "$BATS_TEST_TMPDIR/tests.json" --seconds 60 --each 30 --jobs 2 --alone Timed,Other "$tree/build/ci/bin/test_gpu"
  cat "$CALLS"
  [ "$(sed -n '1,2p' "$CALLS" | tr '\n' ' ')" = "Timed begins Timed ends " ]
  [ "$(sed -n '3,4p' "$CALLS" | sort | tr '\n' ' ')" = "First begins Second begins " ]
  [ "$(grep -c '"state": "passed"' "$BATS_TEST_TMPDIR/tests.json")" -eq 3 ]
}

@test "a signal ends all suites that run" {
  suites_of_scripts
  # Both wait for one that never comes.
  sed -i 's/other=.*ir.*st ;;/other=Never ;;/; s/other=Second ;;/other=Never ;;/' "$tree/build/ci/bin/test_gpu"
  python3 -B "$tree/scripts/lib/suites.py" "$BATS_TEST_TMPDIR/tests.json" --seconds 60 --each 30 --jobs 2 "$tree/build/ci/bin/test_gpu" &
  pid=$!
  for _ in $(seq 100); do [ -e "$MADE/First.came" ] && [ -e "$MADE/Second.came" ] && break; sleep 0.1; done
  [ "$(pgrep -cf "^/bin/sh $tree/build/ci/bin/test_gpu")" -ge 2 ]
  kill -TERM "$pid"
  status=0
  wait "$pid" || status=$?
  [ "$status" -eq 143 ]
  [ -z "$(pgrep -f "$tree/build/ci/bin/test_gpu")" ]
}

@test "what does not apply to this GPU or machine is not asked, and a stage without it reaches all" {
  test_says IsWhole '<skipped message="wgmma_test.cu:7\&\#x0A;wgmma exists on compute capability 9.0 only"/>'
  record gpu-tests
  [ "$status" -eq 0 ]
  [[ "$(row gpu-tests)" == *"recorded: 1 of 1 tests passed; 1 does not apply here  "* ]]
  test_says IsExact '<skipped message="x.cu:7\&\#x0A;The GPU has compute capability 9.0, this build holds 8.0"/>'
  record gpu-tests --again
  [[ "$output" == *"Nothing to record: none of 2 tests passed: Copy.IsExact: The GPU has compute capability 9.0"* ]]
}

@test "links are whole on one GPU: what needs several does not apply there" {
  change run 'it["processes"][0]["samples"]["benchmarks"].append({"id": "nccl/all_reduce", "status": "skipped", "reason": "needs 2 GPUs, this process sees 1", "metrics": []})'
  record links
  [ "$status" -eq 0 ]
  [[ "$(row links)" == *"recorded: 2 of 2 benchmarks measured; 1 does not apply here  "* ]]
}

@test "ratios leave out what is not installed, and an end with 3 is no failure" {
  change list 'it[:] = [one for one in it if one["id"] != "cub/reduce"]'
  change ratios 'it["processes"][0]["samples"]["benchmarks"][:] = [one for one in it["processes"][0]["samples"]["benchmarks"] if one["id"] != "cub/reduce"]'
  RUN_STATUS=3 record ratios
  [[ "$(row ratios)" == *"recorded: 33 of 34 ratios reached; no answer: primitive/reduce:bandwidth  "* ]]
  grep -q -- '--only cub/scan/exclusive ' "$CALLS"
  [ "$(grep -c -- '--only cub/reduce ' "$CALLS" || true)" -eq 0 ]
}

@test "the spread is counted from the stage run where that is whole, else measured" {
  record run
  record spread
  [ "$status" -eq 0 ]
  [ "$(grep -c '^run ' "$CALLS")" -eq 1 ]
  change run 'it.update(complete=False, partial_reason="a signal ended it")'
  record run --again
  record spread --again
  [ "$(grep -c 'run .* --only gemm32 ' "$CALLS")" -eq 1 ]
}

@test "beside PyTorch nothing is measured again that the stage ratios holds, and all that it lacks is" {
  record ratios
  record pytorch --budget 100
  [ "$status" -eq 0 ]
  [[ "$output" == *"pytorch: "*"recorded: 4 of 4 ratios reached"* ]] || [[ "$(row pytorch)" == *"recorded: 4 of 4 ratios reached  "* ]]
  [ "$(grep -c '^run ' "$CALLS")" -eq 1 ]
  change ratios 'it["processes"][0]["samples"]["benchmarks"][:] = [one for one in it["processes"][0]["samples"]["benchmarks"] if one["id"] != "cub/transform/copy"]'
  record ratios --again
  record pytorch --again
  [ "$(grep -c '^run ' "$CALLS")" -eq 3 ]
  tail -n 1 "$CALLS" | grep -q -- ' --only cub/transform/copy '
  COMMIT=def456 record pytorch
  [ "$(grep -c '^run ' "$CALLS")" -eq 4 ]
}

@test "names of kernels are read in the stage run and where they are judged, and nowhere else" {
  program gpugauge 'case "$1" in --version) echo 1 ;; list) cat "$MADE/list" ;; run|selftest) echo "$2 $3 $4 $5 $6 $GPUGAUGE_KERNEL_NAMES" >>"$CALLS" ;; esac'
  for stage in ratios spread pytorch launch links run faults-products; do record "$stage"; done
  cat "$CALLS"
  [ "$(grep -c ' off$' "$CALLS")" -eq 4 ]
  [ "$(grep -cE -- '--profile standard --process-limit $|--inject' "$CALLS")" -eq 2 ]
}

@test "a family that does not start is named once, with the reason, and the rest is recorded" {
  family good '[ "$1" = --gpugauge_describe ]'
  family bad 'echo "libfoo.so.1: cannot open shared object file" >&2; exit 127'
  record run
  [ "$status" -eq 0 ]
  [[ "$output" == *"gpugauge-bench-bad does not start here, and nothing of it is recorded: libfoo.so.1: cannot open"* ]]
  [[ "$output" != *bench-good* ]]
}

@test "NVIDIA's wheels of the active environment stand last on the path of libraries, where a family needs them" {
  site="$BATS_TEST_TMPDIR/site"
  mkdir -p "$site/nvidia/cu13/lib" "$site/nvidia/cudnn/lib"
  family needs "case \"\$LD_LIBRARY_PATH\" in */first:*nvidia/cu13/lib*) ;; *) echo lacks >&2; exit 127 ;; esac"
  program gpugauge 'case "$1" in --version) echo 1 ;; run) echo "$LD_LIBRARY_PATH" >"$HEARD" ;; doctor) echo "$LD_LIBRARY_PATH" >"$HEARD.doctor" ;; esac'
  export LD_LIBRARY_PATH=/nowhere/first PYTHONPATH="$site"
  record run
  [[ "$output" == *"With NVIDIA's libraries in $site/nvidia/cu13/lib:$site/nvidia/cudnn/lib: gpugauge-bench-needs"* ]]
  [ "$(cat "$HEARD")" = "/nowhere/first:$site/nvidia/cu13/lib:$site/nvidia/cudnn/lib" ]
  record doctor
  [ "$(cat "$HEARD.doctor")" = /nowhere/first ]
}

@test "a rebuilt program is another build" {
  record gpu-tests
  echo '# built anew' >>"$tree/build/ci/bin/test_gpu"
  [[ "$(row gpu-tests)" == *"; by another build, gpugauge 0.1.0 commit abc123 files "* ]]
}

@test "what is carried is one file with what the stages need, and records where it is unpacked" {
  family good exit
  mkdir -p "$tree/frameworks" "$tree/build/ci/share/baselines/GPU/run" "$tree/build/ci/share/baselines/shipped"
  touch "$tree/build/ci/share/baselines/GPU/run/"{provenance,run}.json "$tree/build/ci/share/baselines/shipped/baseline.json"
  echo 1 >"$tree/frameworks/probe.py"
  ln -s "$tree/frameworks" "$tree/build/ci/libexec/gpugauge/frameworks"
  program test_judge exit
  printf '#!/bin/sh\nprintf "\\t%%s => %%s (0x0)\\n" libfoo.so.1 %s/libfoo.so.1 libcublas.so.13 /x/libcublas.so.13 libstdc++.so.6 /x/libstdc++.so.6 libc.so.6 /x/libc.so.6 libcurl.so.4 %s/libcurl.so.4\n' "$BATS_TEST_TMPDIR" "$BATS_TEST_TMPDIR" >"$BATS_TEST_TMPDIR/fakes/ldd"
  chmod +x "$BATS_TEST_TMPDIR/fakes/ldd"
  echo foo | tee "$BATS_TEST_TMPDIR/libfoo.so.1" >"$BATS_TEST_TMPDIR/libcurl.so.4"
  record --carry
  [ "$status" -eq 0 ]
  [[ "$output" == *"build/ci/carry.tar.xz (4.0K)"*"--build FOLDER/gpugauge" ]]
  rm -r "$tree/frameworks"
  python3 -m tarfile -e "$tree/build/ci/carry.tar.xz" "$BATS_TEST_TMPDIR/there"
  found="$(cd "$BATS_TEST_TMPDIR/there" && find . ! -type d | sort | tr '\n' ' ')"
  [ "$found" = "./gpugauge/bin/gpugauge ./gpugauge/bin/test_gpu ./gpugauge/carried/libcurl.so.4 ./gpugauge/carried/libfoo.so.1 ./gpugauge/libexec/gpugauge/frameworks/probe.py ./gpugauge/libexec/gpugauge/gpugauge-bench-good ./gpugauge/share/baselines/shipped/baseline.json " ]
  record gpu-tests --build "$BATS_TEST_TMPDIR/there/gpugauge"
  [ "$status" -eq 0 ]
  # What is cut short is no archive, and leaves the earlier one.
  sum="$(sha256sum <"$tree/build/ci/carry.tar.xz")"
  printf '#!/bin/sh\n[ "$2 $3" = "tarfile -c" ] || exec /usr/bin/python3 "$@"\nhead -c 100 /dev/zero >"$4"\nexit 1\n' >"$BATS_TEST_TMPDIR/fakes/python3"
  chmod +x "$BATS_TEST_TMPDIR/fakes/python3"
  record --carry
  [ "$status" -ne 0 ]
  [ "$(sha256sum <"$tree/build/ci/carry.tar.xz")" = "$sum" ]
}

@test "of what is carried only what the machine lacks is found by the programs" {
  mkdir "$tree/build/ci/carried"
  touch "$tree/build/ci/carried/libfoo.so.1" "$tree/build/ci/carried/libcrypto.so.3"
  printf '#!/bin/sh\nprintf "\\tlibfoo.so.1 => not found\\n\\tlibcrypto.so.3 => /lib/libcrypto.so.3 (0x0)\\n"\n' >"$BATS_TEST_TMPDIR/fakes/ldd"
  chmod +x "$BATS_TEST_TMPDIR/fakes/ldd"
  program gpugauge 'case "$1" in --version) echo 1 ;; run) ls "${LD_LIBRARY_PATH%%:*}" >"$HEARD" ;; esac'
  record run
  [ "$(cat "$HEARD")" = libfoo.so.1 ]
  # The name of that folder stands in what every run says of its environment.
  program gpugauge 'case "$1" in --version) echo 1 ;; run) echo "${LD_LIBRARY_PATH%%:*}" >"$HEARD" ;; esac'
  record run --again
  [ "$(cat "$HEARD")" = "$tree/build/ci/borrowed/$(uname -n)" ]
  # Whoever lists meanwhile takes nothing of it away.
  record --list
  [ "$(readlink -f "$tree/build/ci/borrowed/$(uname -n)/libfoo.so.1")" = "$(readlink -f "$tree/build/ci/carried/libfoo.so.1")" ]
}

@test "what is kept stands below the GPU's name with its provenance, and the page says how much and where" {
  mkdir "$tree/docs"
  printf '| stage | proves | recorded so far |\n|---|---|---|\n| run | a whole run | nothing |\n| links | copies | nothing |\n' >"$tree/docs/testing.md"
  record --keep
  [ "$status" -eq 1 ]
  [[ "$output" == *"Nothing is recorded that could be kept."* ]]
  NAME="NVIDIA H100 80GB HBM3" record run
  UUID="" record --keep
  [ "$status" -eq 0 ]
  [ "$(cd "$tree/baselines/NVIDIA H100 80GB HBM3/run" && echo *)" = "provenance.json run.json summary.json" ]
  grep -qE '^\| run \| a whole run \| 2 of 2 benchmarks measured; NVIDIA H100 80GB HBM3, driver 580.65.06, [0-9-]{10} \|$' "$tree/docs/testing.md"
  grep -q '^| links | copies | nothing |$' "$tree/docs/testing.md"
  # Another model stands beside it; the same one, measured anew, in its place.
  for model in "NVIDIA H200" "NVIDIA H100 80GB HBM3"; do
    NAME="$model" record run --again
    UUID="" record --keep
    [ "$status" -eq 0 ]
  done
  grep -qE '^\| run \| a whole run \| 2 of 2 benchmarks measured; NVIDIA H200, driver [^;]*<br>2 of 2 benchmarks measured; NVIDIA H100 80GB HBM3, driver [^;]* \|$' "$tree/docs/testing.md"
}

@test "what was kept before stays where the new recording cannot be copied, and the page is replaced as a whole" {
  mkdir "$tree/docs"
  printf '| stage | proves | recorded so far |\n|---|---|---|\n| run | a whole run | nothing |\n' >"$tree/docs/testing.md"
  record run
  UUID="" record --keep
  kept="$(echo "$tree"/baselines/*/run)"
  echo older >"$kept/older"
  cp -r "$kept" "$BATS_TEST_TMPDIR/first"
  ln "$tree/docs/testing.md" "$BATS_TEST_TMPDIR/page"
  mkfifo "$tree/build/record/run/no-file"
  UUID="" record --keep
  [ "$status" -eq 3 ]
  [[ "$output" == *"is a named pipe"* ]]
  diff -r "$BATS_TEST_TMPDIR/first" "$kept"
  [ "$(ls -A "$(dirname "$kept")")" = run ]
  # Where a kill came between the two moves the next call brings it back.
  mv "$kept" "$(dirname "$kept")/.run.before"
  UUID="" record --keep
  diff -r "$BATS_TEST_TMPDIR/first" "$kept"
  rm "$tree/build/record/run/no-file"
  UUID="" record --keep
  [ "$status" -eq 0 ]
  [ "$(ls -A "$(dirname "$kept")")" = run ]
  # A page that is written in place would be half a page for whoever reads it meanwhile, and after a kill.
  [ ! "$tree/docs/testing.md" -ef "$BATS_TEST_TMPDIR/page" ]
}

@test "the page calls a partial run one" {
  mkdir "$tree/docs"
  printf '| stage | proves | recorded so far |\n|---|---|---|\n| run | a whole run | nothing |\n' >"$tree/docs/testing.md"
  change run 'it.update(complete=False, partial_reason="SIGTERM stopped it")'
  record run
  UUID="" record --keep
  grep -q '^| run | a whole run | 2 of 2 benchmarks measured, of a partial run; NVIDIA ' "$tree/docs/testing.md"
}

@test "a stage that failed and left half a summary is passed over" {
  mkdir "$tree/docs"
  printf '| stage | proves | recorded so far |\n|---|---|---|\n| run | a whole run | nothing |\n| links | copies | nothing |\n' >"$tree/docs/testing.md"
  record run
  cp -r "$tree/build/record/run" "$tree/build/record/links"
  sed -i 's/"exit_status": 0/"exit_status": 1/' "$tree/build/record/links/provenance.json"
  : >"$tree/build/record/links/summary.json"
  UUID="" record --keep
  [ "$status" -eq 0 ]
  [[ "$output" != *"not kept"* ]]
}

@test "what a build with uncommitted changes measured is not kept, and is named" {
  mkdir "$tree/docs"
  printf '| stage | proves | recorded so far |\n|---|---|---|\n| run | a whole run | nothing |\n' >"$tree/docs/testing.md"
  record run
  sed -i 's/abc123/abc123+changes/' "$tree"/build/record/run/provenance.json
  UUID="" record --keep
  [ "$status" -eq 1 ]
  [[ "$output" == *"run: not kept: its build held what was not committed (gpugauge 0.1.0 commit abc123+changes"* ]]
  [[ "$output" != *"Nothing is recorded"* ]]
  [ ! -e "$tree/baselines" ]
  grep -q '^| run | a whole run | nothing |$' "$tree/docs/testing.md"
}

@test "a name of a GPU that leads elsewhere makes a folder below baselines, and a record that cannot be read costs no other" {
  mkdir "$tree/docs"
  printf '| stage | proves | recorded so far |\n|---|---|---|\n| run | a whole run | nothing |\n| links | copies | nothing |\n' >"$tree/docs/testing.md"
  NAME=../.. record run
  cp -r "$tree/build/record/run" "$tree/build/record/links"
  echo '{"exit_status": 0, "build": []}' >"$tree/build/record/links/provenance.json"
  UUID="" record --keep
  [ "$status" -eq 1 ]
  [[ "$output" == *"links: not kept: "*"links cannot be read (KeyError"* ]]
  [ "$(cd "$tree/baselines" && echo */*)" = "-/run" ]
  grep -q '^| run | a whole run | 2 of 2' "$tree/docs/testing.md"
}

@test "what stands for a number in a record from elsewhere is not run" {
  record run
  sed -i "s|\"seconds\": .*,|\"seconds\": \"EUID[\$(touch $BATS_TEST_TMPDIR/owned)0]\",|" "$tree/build/record/run/provenance.json"
  grep -q touch "$tree/build/record/run/provenance.json"
  record run --again --budget 900
  [ "$status" -eq 0 ]
  [ ! -e "$BATS_TEST_TMPDIR/owned" ]
}

@test "without a home there is a place for the command's runs, and it is not kept" {
  program gpugauge 'case "$1" in --version) echo 1 ;; run) echo "$GPUGAUGE_STATE" >"$HEARD"; mkdir -p "$GPUGAUGE_STATE" ;; esac'
  run env -u HOME -u XDG_STATE_HOME -u GPUGAUGE_STATE "$tree/scripts/record" run --archive "$tree/all.tar.xz"
  [ "$(cat "$HEARD")" = "$tree/build/record/.state" ]
  [[ "$(python3 -m tarfile -l "$tree/all.tar.xz")" != *state* ]]
  run env -u XDG_STATE_HOME -u GPUGAUGE_STATE HOME=relative "$tree/scripts/record" run --again
  [ "$(cat "$HEARD")" = "$tree/build/record/.state" ]
  run env -u XDG_STATE_HOME -u GPUGAUGE_STATE HOME=/home/x "$tree/scripts/record" run --again
  [ "$(cat "$HEARD")" = "" ]
}

@test "a disk that fills up costs no earlier record" {
  record run
  before="$(cat "$tree/build/record/run/provenance.json")"
  # The stage itself ends well, and nothing can be written after it.
  printf '#!/bin/sh\nexit 1\n' >"$BATS_TEST_TMPDIR/fakes/sync"
  chmod +x "$BATS_TEST_TMPDIR/fakes/sync"
  record run --again
  [ "$status" -eq 1 ]
  [[ "$output" == *"run: who measured it could not be written"*"what was recorded before is kept"* ]]
  [ "$(cat "$tree/build/record/run/provenance.json")" = "$before" ]
}

@test "two that record into one folder: the second says so and touches nothing" {
  mkdir -p "$tree/build/record"
  exec 8>"$tree/build/record/.lock"
  flock -n 8
  record run
  exec 8>&-
  [ "$status" -eq 2 ]
  [[ "$output" == *"Another scripts/record records into "*"name another --output."* ]]
  [ ! -s "$CALLS" ]
}

@test "a commit with changes to what is built is called so, and others are not" {
  git init -q "$BATS_TEST_TMPDIR/sources"
  cd "$BATS_TEST_TMPDIR/sources"
  mkdir bench docs
  touch bench/copy.cu docs/page.md
  git add .
  git -c user.name=t -c user.email=t@example.org commit -q -m x
  state() { cmake -DGIT=git -DSOURCE=. -DCOMMIT=abc -DOUTPUT="$BATS_TEST_TMPDIR/state.hpp" -P "$GPUGAUGE_SOURCE/scripts/cmake/SourceState.cmake"; }
  echo 1 >docs/page.md
  state
  [ ! -s "$BATS_TEST_TMPDIR/state.hpp" ]
  touch bench/new.cu
  state
  grep -qx '#define GPUGAUGE_COMMIT "abc+changes"' "$BATS_TEST_TMPDIR/state.hpp"
}
