#!/usr/bin/env bats
# scripts/cmake/Architectures.cmake: what GPUGAUGE_ARCHITECTURES means on a machine.

setup() {
  fakes="$BATS_TEST_TMPDIR/fakes" nodes="$BATS_TEST_TMPDIR/nodes"
  mkdir "$fakes" "$nodes"
  fake nvcc 'printf "sm_70\nsm_75\nsm_80\nsm_90\nsm_100\n"'
  cmake="$(command -v cmake)"
}

fake() {
  printf '#!/bin/sh\n%s\n' "$2" >"$fakes/$1"
  chmod +x "$fakes/$1"
}

# chosen VALUE: what is compiled for, on a PATH that holds nothing but the fakes.
chosen() {
  cat >"$BATS_TEST_TMPDIR/choose.cmake" <<TEXT
cmake_minimum_required(VERSION 3.25)
set(CMAKE_CUDA_COMPILER $fakes/nvcc)
set(GPUGAUGE_ARCHITECTURES "$1")
include($GPUGAUGE_SOURCE/scripts/cmake/Architectures.cmake)
gpugauge_choose_architectures(_chosen $nodes)
message("chosen: \${_chosen}")
TEXT
  PATH="$fakes" run "$cmake" -P "$BATS_TEST_TMPDIR/choose.cmake"
  echo "$output"
  [ "$status" -eq 0 ]
}

@test "auto and native are those of the GPUs here, 9.0 with its own instructions" {
  fake nvidia-smi 'printf "9.0\n8.0\n9.0\n"'
  for word in auto native; do
    chosen "$word"
    [[ "$output" == *"chosen: 90a-real;80-real" ]]
  done
}

@test "a GPU newer than the toolkit gets the newest PTX" {
  fake nvidia-smi 'echo 12.0'
  chosen auto
  [[ "$output" == *"chosen: 100-virtual" ]]
}

@test "a GPU between those that the toolkit knows gets the newest PTX below it" {
  fake nvcc 'printf "sm_75\nsm_80\nsm_86\nsm_90\nsm_100\nsm_120\n"'
  fake nvidia-smi 'printf "10.3\n8.8\n"'
  chosen auto
  [[ "$output" == *"chosen: 100-virtual;86-virtual" ]]
  fake nvidia-smi 'printf "9.0\n9.2\n"'   # none is known: PTX of 9.0 is never made
  chosen auto
  [[ "$output" == *"chosen: 90a-real;89-virtual" ]]
}

@test "a GPU before 7.5 is refused by name, also by a toolkit that compiles for it" {
  fake nvidia-smi 'echo 7.0'
  run chosen auto
  [ "$status" -ne 0 ]
  [[ "$output" == *"sm_70"*"before 7.5"* ]]
  [[ "$output" != *"an older toolkit may"* ]]
}

@test "a GPU older than all that the toolkit compiles for is refused by name" {
  fake nvcc 'printf "sm_80\nsm_90\n"'
  fake nvidia-smi 'echo 7.5'
  run chosen auto
  [ "$status" -ne 0 ]
  [[ "$output" == *"sm_75"*"an older toolkit may"* ]]
}

@test "a GPU that nothing is built for is left out beside others, and it is said" {
  fake nvidia-smi 'printf "6.1\n8.0\n7.0\n6.1\n"'
  chosen auto
  [[ "$output" == *"chosen: 80-real" ]]
  [ "$(grep -c "sm_61" <<<"$output")" -eq 1 ]
  [[ "$output" == *"sm_61"*"left out"*"sm_70"*"left out"* ]]
  fake nvcc 'printf "sm_80\nsm_90\n"'
  fake nvidia-smi 'printf "9.0\n7.5\n"'
  chosen auto
  [[ "$output" == *"sm_75"*"an older toolkit may"*"chosen: 90a-real" ]]
}

@test "PTX for GPUs to come is not that of 9.0" {
  fake nvcc 'printf "sm_80\nsm_89\nsm_90\n"'
  chosen all
  [[ "$output" == *"chosen: 80-real;89-real;90a-real;89-virtual" ]]
}

@test "10.0, 10.3 and 11.0 get code with their own instructions, unless 10.3 has only that of 10.0 to run" {
  fake nvcc 'printf "sm_90\nsm_100\nsm_103\nsm_110\nsm_120\n"'
  chosen all
  [[ "$output" == *"chosen: 90a-real;100a-real;103a-real;110a-real;120-real;100-virtual;120-virtual" ]]
  fake nvidia-smi 'printf "10.3\n10.0\n"'
  chosen auto
  [[ "$output" == *"chosen: 103a-real;100a-real" ]]
  fake nvcc 'printf "sm_90\nsm_100\nsm_120\n"'
  chosen all
  [[ "$output" == *"chosen: 90a-real;100-real;120-real;120-virtual" ]]
  fake nvidia-smi 'echo 10.0'
  chosen auto
  [[ "$output" == *"chosen: 100a-real" ]]
}

@test "no GPU takes what CI takes, also where nvidia-smi is installed" {
  chosen auto
  [[ "$output" == *"chosen: 80-real;90a-real" ]]
  fake nvidia-smi 'exit 9'
  chosen auto
  [[ "$output" == *"chosen: 80-real;90a-real" ]]
}

@test "a GPU whose nvidia-smi does not say which it is gets every architecture, and it is said" {
  for node in nvidiactl dxg nvhost-gpu nvgpu; do
    touch "$nodes/$node"
    for answer in 'echo "[N/A]"' 'exit 9' 'echo "Field \"compute_cap\" is not a valid field to query."; exit 2'; do
      fake nvidia-smi "$answer"
      chosen auto
      [[ "$output" == *"or none that does"*"chosen: 75-real;80-real;90a-real;100-real;100-virtual" ]]
    done
    fake nvidia-smi 'printf "[N/A]\n8.0\n"'
    chosen auto
    [[ "$output" == "chosen: 80-real" ]]
    rm "$nodes/$node"
  done
}

@test "a GPU without nvidia-smi gets every architecture, and it is said" {
  [ -z "$(PATH=/usr/bin:/usr/local/bin:/usr/lib/wsl/lib command -v nvidia-smi)" ] || skip "this machine has nvidia-smi in a folder that CMake looks into without PATH"
  touch "$nodes/nvidiactl"
  chosen auto
  [[ "$output" == *"chosen: 75-real;80-real;90a-real;100-real;100-virtual" ]]
  [[ "$output" == *"no nvidia-smi to say which"* ]]
}

@test "a list is taken as it is" {
  chosen "86-real;90a-real"
  [[ "$output" == *"chosen: 86-real;90a-real" ]]
}

@test "a list's code for 9.0 is that with its own instructions, and PTX that lacks them is refused" {
  for entry in 90 90-real; do
    chosen "80-real;$entry"
    [[ "$output" == *"chosen: 80-real;90a-real" ]]
  done
  chosen "90;90a-real"
  [[ "$output" == *"chosen: 90a-real" ]]
  chosen "100;103-real;110;120-real;190-real;100-virtual"
  [[ "$output" == *"chosen: 100a-real;100-virtual;103a-real;110a-real;110-virtual;120-real;190-real" ]]
  run chosen "80-real;90-virtual"
  [ "$status" -ne 0 ]
  [[ "$output" == *"90-virtual, whose code has no wgmma"*"write 90a-real"* ]]
  run chosen all-major
  [ "$status" -ne 0 ]
  [[ "$output" == *"all-major, whose code for 9.0 has no wgmma"* ]]
}
