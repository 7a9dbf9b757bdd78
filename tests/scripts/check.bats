#!/usr/bin/env bats
# shellcheck disable=SC2016  # what stands in single quotes is expanded by the programs made of it
# scripts/check: what it builds and what it asks of the command, with the command and the build replaced.

setup() {
  tree="$BATS_TEST_TMPDIR/tree"
  mkdir -p "$tree" "$BATS_TEST_TMPDIR/fakes"
  cp -r "$GPUGAUGE_SOURCE/scripts" "$tree/scripts"
  mkdir "$tree/harness" && cp -r "$GPUGAUGE_SOURCE/harness/cli" "$tree/harness/cli"
  export CALLS="$BATS_TEST_TMPDIR/calls" HARDWARE=1 USABLE=usable CHECK_STATUS=0 CUDA_SETUP=0 PROGRAM="$tree/build/check/bin/gpugauge"
  printf '#!/bin/sh\necho "setup $*" >>"$CALLS"\necho setting up\ncase "$*" in *"--cuda auto"*) exit "$CUDA_SETUP" ;; esac\n' >"$tree/scripts/setup"
  cat >"$BATS_TEST_TMPDIR/fakes/cmake" <<'TEXT'
#!/bin/sh
echo "cmake $*" >>"$CALLS"
folder="${PROGRAM%/bin/*}"
case "$1 $*" in
  --build*) mkdir -p "$folder/bin" && cp "$COMMAND" "$PROGRAM" && chmod +x "$PROGRAM" ;;
  *ENABLE_CUDA=ON) mkdir -p "$folder" && echo "GPUGAUGE_ENABLE_CUDA:BOOL=ON" >"$folder/CMakeCache.txt" ;;
  *ENABLE_CUDA=OFF) mkdir -p "$folder" && echo "GPUGAUGE_ENABLE_CUDA:BOOL=OFF" >"$folder/CMakeCache.txt" ;;
esac
TEXT
  export COMMAND="$BATS_TEST_TMPDIR/command"
  cat >"$COMMAND" <<'TEXT'
#!/bin/sh
[ "$1 $2" = "probe devices" ] && echo "{\"state\": \"$USABLE\"}" && exit 0
[ "$1" = probe ] && exit "$HARDWARE"
echo "gauge $*"
exit "$CHECK_STATUS"
TEXT
  chmod +x "$BATS_TEST_TMPDIR/fakes/cmake" "$tree/scripts/setup"
  PATH="$BATS_TEST_TMPDIR/fakes:$PATH"
}

@test "without NVIDIA hardware: one line says so, the host is gauged, no CUDA is set up" {
  run "$tree/scripts/check" --strict
  echo "$output"
  [ "$status" -eq 0 ]
  [[ "$output" == *"This machine has no NVIDIA hardware"* ]]
  [ "${lines[${#lines[@]}-1]}" = "gauge check --device host --profile quick --strict" ]
  grep -q -- "--cuda none" "$CALLS"
  [ "$(grep -c -- "--cuda auto" "$CALLS")" -eq 0 ]
  grep -q -- "GPUGAUGE_ENABLE_CUDA=OFF" "$CALLS"
}

@test "with NVIDIA hardware, usable or not, nothing falls back to the host" {
  for USABLE in usable no_driver; do
    export USABLE
    rm -rf "$CALLS" "$tree/build"
    HARDWARE=0 CHECK_STATUS=3 run "$tree/scripts/check"
    echo "$output"
    [ "$status" -eq 3 ]
    [ "${lines[${#lines[@]}-1]}" = "gauge check --profile quick" ]
    [[ "$output" != *"no NVIDIA hardware"* ]]
    # A driver that cannot be used is said before 2 GB of CUDA are fetched for it.
    [ "$(grep -c -- "GPUGAUGE_ENABLE_CUDA=ON" "$CALLS")" -eq "$([ "$USABLE" = usable ] && echo 1 || echo 0)" ]
  done
  # What was built for the GPUs stays so when the driver breaks.
  for USABLE in usable no_driver; do
    rm "$CALLS"
    HARDWARE=0 run "$tree/scripts/check"
    grep -q -- "GPUGAUGE_ENABLE_CUDA=ON" "$CALLS"
  done
}

@test "where the CUDA families cannot be had, what this machine has is said, and the end is 3" {
  CUDA_SETUP=2 HARDWARE=0 run "$tree/scripts/check"
  echo "$output"
  [ "$status" -eq 3 ]
  [[ "$output" == *"cannot be built here; the lines above say what is missing."*"gauge doctor"*"cannot judge: "*"Install a CUDA toolkit, or run scripts/check again with a connection." ]]
  [[ "$output" != *"gauge check"* ]]
  CUDA_SETUP=3 HARDWARE=0 run "$tree/scripts/check"
  [[ "$status" -eq 3 && "$output" != *"gauge doctor"* ]]
}

@test "a build that does not start any more is made anew from nothing" {
  for broken in 'echo "error while loading shared libraries: libfmt.so.9" >&2; exit 127' 'kill -ILL $$'; do
    mkdir -p "$tree/build/check/bin" && : >"$tree/build/check/left"
    printf '#!/bin/sh\n%s\n' "$broken" >"$PROGRAM" && chmod +x "$PROGRAM"
    run "$tree/scripts/check"
    echo "$output"
    [ "$status" -eq 0 ]
    [[ "$output" == *"does not start any more ("*"): building it anew."* ]]
    [ "${lines[${#lines[@]}-1]}" = "gauge check --device host --profile quick" ]
    [ ! -e "$tree/build/check/left" ]
  done
}

@test "standard output is the check's alone" {
  cd "$BATS_TEST_TMPDIR" || exit
  for HARDWARE in 0 1; do
    export HARDWARE
    "$tree/scripts/check" --json >said 2>progress
    [[ "$(wc -l <said)" -eq 1 && "$(<said)" == "gauge check "*" --json" ]]
    [[ "$(<progress)" == *"setting up"*"Build: done"* ]]
  done
}

@test "a device asked for is passed on, also without hardware" {
  CHECK_STATUS=3 run "$tree/scripts/check" --device all
  [ "$status" -eq 3 ]
  [ "${lines[${#lines[@]}-1]}" = "gauge check --profile quick --device all" ]
}

@test "a profile asked for counts" {
  run "$tree/scripts/check" --profile smoke
  [ "${lines[${#lines[@]}-1]}" = "gauge check --device host --profile smoke" ]
}

@test "the exit code is that of the check" {
  for code in 0 1 2 3 4; do
    CHECK_STATUS="$code" run "$tree/scripts/check"
    [ "$status" -eq "$code" ]
  done
}

@test "a probe that cannot answer is an error, not a machine without hardware" {
  HARDWARE=139 run "$tree/scripts/check"
  echo "$output"
  [ "$status" -eq 2 ]
  [[ "$output" == *"could not tell whether there is NVIDIA hardware"* ]]
  [[ "$output" != *"gauge check"* ]]
}

@test "a build that fails names its log and ends with 2" {
  printf '#!/bin/sh\necho broken line 7\nexit 1\n' >"$BATS_TEST_TMPDIR/fakes/cmake"
  run "$tree/scripts/check"
  echo "$output"
  [ "$status" -eq 2 ]
  [[ "$output" == *"broken line 7"* ]]
  [[ "$output" == *"build/log/check-configure.log"* ]]
}

@test "a word that no option can be is told before anything is set up" {
  for words in "--bogus" "--strict --profil=smoke" "--x.y" "--no_probes" "smoke" "--device host --Strict"; do
    read -ra arguments <<<"$words"
    run "$tree/scripts/check" "${arguments[@]}"
    echo "$output"
    [ "$status" -eq 2 ]
    [ "${#lines[@]}" -eq 1 ]
    [[ "$output" == *"scripts/check --help lists them."* ]]
    [ ! -e "$CALLS" ]
  done
  [[ "$output" == "gpugauge check has no option --Strict; "* ]]
}

@test "every option that the command has is passed on" {
  count=0
  while read -r option; do
    run "$tree/scripts/check" "$option=--value"
    echo "$output"
    [ "$status" -eq 0 ]
    [[ "${lines[${#lines[@]}-1]}" == *" $option=--value" ]]
    count=$((count + 1))
  done < <("$GPUGAUGE_BUILD/bin/gpugauge" check --help | sed -nE 's/^ +(-[a-z],)?(--[a-z-]+).*/\2/p' | grep -v -- '^--help$')
  [ "$count" -ge 20 ]
}
