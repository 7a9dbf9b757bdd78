#!/usr/bin/env bats
# scripts/lib/test-architectures: for which architectures the kernels' machine code is judged beside those of preset ci.

setup() {
  bats_require_minimum_version 1.5.0
  judge="$GPUGAUGE_SOURCE/scripts/lib/test-architectures"
  export CUDACXX="$BATS_TEST_TMPDIR/nvcc"
  fake_nvcc 70 75 80 86 87 89 90 100 103 120
}

# fake_nvcc CODE...: a compiler for these.
fake_nvcc() {
  printf '#!/bin/sh\nprintf "%s"\n' "$(printf 'sm_%s\\n' "$@")" >"$CUDACXX"
  chmod +x "$CUDACXX"
}

@test "all that preset ci leaves out, from 7.5 on" {
  run -0 "$judge" --list --turn 0
  [ "$output" = "architectures: 75 89 100 120 86 87 103" ]
}

@test "the oldest and one of each later generation always, the rest by turns, and what is left out is said" {
  run -0 "$judge" --list --rest 1 --turn 0
  [ "${lines[0]}" = "architectures: 75 89 100 120 86" ]
  [ "${lines[1]}" = "machine code: 2 architectures (87 103) were not judged, for lack of time" ]
  run -0 "$judge" --list --rest 1 --turn 5
  [ "${lines[0]}" = "architectures: 75 89 100 120 103" ]
  run -0 "$judge" --list --rest 0
  [ "${lines[0]}" = "architectures: 75 89 100 120" ]
  run -0 "$judge" --list --rest 9 --turn 1
  [ "$output" = "architectures: 75 89 100 120 87 103 86" ]
}

@test "a toolkit that knows less of them judges what it knows; one that knows none is a failure" {
  fake_nvcc 75 80 89 90
  run -0 "$judge" --list
  [ "$output" = "architectures: 75 89" ]
  fake_nvcc 80 90
  run -1 "$judge" --list
  [[ $output == *"none of the architectures"* ]]
}

@test "what is typed wrong is refused" {
  run -2 "$judge"
  run -2 "$judge" --rest
  run -2 "$judge" --rest many --list
  run -2 "$judge" --some
}

@test "scripts/test --ci has it as its last step, and --all has the release build, which judges every architecture" {
  run -0 "$GPUGAUGE_SOURCE/scripts/test" --ci --list
  [[ ${lines[-1]} == architectures:* ]]
  run -0 "$GPUGAUGE_SOURCE/scripts/test" --all --list
  [[ $output == *release:* && $output != *architectures:* ]]
}
