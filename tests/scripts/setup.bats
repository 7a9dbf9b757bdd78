#!/usr/bin/env bats
# shellcheck disable=SC2016  # what stands in single quotes is expanded by the programs made of it
# scripts/setup: what it refuses, and what it tells a user without root.

setup() {
  cp -r "$GPUGAUGE_SOURCE/scripts" "$BATS_TEST_TMPDIR/scripts"
  mkdir "$BATS_TEST_TMPDIR/fakes"
  PATH="$BATS_TEST_TMPDIR/fakes:$PATH"
  unset GPUGAUGE_HELD
}

fake() {
  printf '#!/bin/sh\n%s\n' "$2" >"$BATS_TEST_TMPDIR/fakes/$1"
  chmod +x "$BATS_TEST_TMPDIR/fakes/$1"
}

# Runs the library functions of setup with its variables.
with_library() {
  run bash -c "set -euo pipefail; source '$BATS_TEST_TMPDIR/scripts/lib/common.sh'; source '$BATS_TEST_TMPDIR/scripts/lib/packages.sh'
    source '$BATS_TEST_TMPDIR/scripts/lib/cuda.sh'; $1"
  echo "$output"
}

@test "an unknown option and an unknown role are usage errors that name them" {
  run "$BATS_TEST_TMPDIR/scripts/setup" --frobnicate
  [ "$status" -eq 2 ]
  [[ "$output" == *'"--frobnicate"'* ]]
  run "$BATS_TEST_TMPDIR/scripts/setup" --for everything
  [ "$status" -eq 2 ]
  [[ "$output" == *'"everything"'* ]]
}

@test "only packages that are not installed are missing" {
  fake dpkg-query 'printf "installed %s\n" cmake git; printf "config-files ninja-build\n"; exit 1'
  with_library 'missing_packages cmake git ninja-build g++'
  [ "$status" -eq 0 ]
  [ "$output" = $'g++\nninja-build' ]
}

@test "each role adds to the one before" {
  with_library 'comm -23 <(packages_for check | sort) <(packages_for test | sort) | wc -l; packages_for test | sort | uniq -d | wc -l'
  [ "$output" = $'0\n0' ]
}

@test "without root, missing packages end with one line for the administrator and 3" {
  [ "$(id -u)" -eq 0 ] && as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups) || as_user=()
  . /etc/os-release
  case "$ID $VERSION_ID" in "debian 12" | "ubuntu 22.04" | "ubuntu 24.04") ;; *) skip "package names are not known here" ;; esac
  fake dpkg-query 'printf "installed %s\n" cmake; exit 1'
  folder="$(mktemp -d /tmp/gpugauge-setup.XXXXXX)"
  cp -r "$BATS_TEST_TMPDIR/scripts" "$BATS_TEST_TMPDIR/fakes" "$folder/"
  chmod -R a+rX "$folder"
  PATH="$folder/fakes:$PATH" run "${as_user[@]}" "$folder/scripts/setup" --for check
  rm -r "$folder"
  echo "$output"
  [ "$status" -eq 3 ]
  last="${lines[${#lines[@]}-1]}"
  [[ "$last" == "sudo apt-get install -y "*"g++"* ]]
  [[ "$last" != *" cmake "* ]]
}

@test "CUDA_HOME comes first, then the default folder, then nvcc on PATH through its wrapper" {
  for root in one two; do
    mkdir -p "$BATS_TEST_TMPDIR/$root/bin"
    printf '#!/bin/sh\necho "Cuda compilation tools, release 13.0, V13.0.88"\necho "#$ TOP=%s" >&2\n' "$BATS_TEST_TMPDIR/$root" >"$BATS_TEST_TMPDIR/$root/bin/nvcc"
    chmod +x "$BATS_TEST_TMPDIR/$root/bin/nvcc"
  done
  CUDA_HOME="$BATS_TEST_TMPDIR/one" with_library 'system_toolkit'
  [ "$output" = "$BATS_TEST_TMPDIR/one" ]
  CUDA_HOME="" with_library "DEFAULT_TOOLKIT='$BATS_TEST_TMPDIR/one'; system_toolkit"
  [ "$output" = "$BATS_TEST_TMPDIR/one" ]
  fake nvcc "exec '$BATS_TEST_TMPDIR/two/bin/nvcc' \"\$@\""
  CUDA_HOME="" with_library 'DEFAULT_TOOLKIT=/nowhere; system_toolkit'
  [ "$output" = "$BATS_TEST_TMPDIR/two" ]
}

@test "a toolkit before 12.4 is passed over and named" {
  mkdir -p "$BATS_TEST_TMPDIR/old/bin"
  printf '#!/bin/sh\necho "Cuda compilation tools, release 11.8, V11.8.89"\n' >"$BATS_TEST_TMPDIR/old/bin/nvcc"
  chmod +x "$BATS_TEST_TMPDIR/old/bin/nvcc"
  CUDA_HOME="$BATS_TEST_TMPDIR/old" with_library 'system_toolkit >/dev/null || true'
  [[ "$output" == *"$BATS_TEST_TMPDIR/old is 11.8; 12.4 or later is needed"* ]]
}

# A toolkit in FOLDER with everything that toolkits may lack, and wheels that note that they were asked for.
whole_toolkit() {
  mkdir -p "$1/bin" "$1/include"
  touch "$1/include/nvml.h" "$1/include/cudnn_frontend.h"
  frontend "$1" 99
  printf '#!/bin/sh\n' | tee "$1/bin/cuobjdump" >"$1/bin/nvdisasm"
  chmod +x "$1"/bin/*
}
# frontend TOOLKIT MAJOR: its cudnn-frontend says that it is MAJOR.0.0.
frontend() { printf '#define CUDNN_FRONTEND_%s_VERSION %s\n' MAJOR "$2" MINOR 0 PATCH 0 >"$1/include/cudnn_frontend_version.h"; }
no_wheels='wheels() { printf "asked for:"; printf " %s" "${@:2}"; printf "\n"; return 1; }'

@test "a toolkit that lacks nothing needs no wheel, one that lacks something only that one" {
  whole_toolkit "$BATS_TEST_TMPDIR/whole"
  with_library "$no_wheels; CUDA_HOME='$BATS_TEST_TMPDIR/whole'"'; find_cuda_tools; echo "$CUOBJDUMP $NVDISASM $NVML_INCLUDE $CUDNN_FRONTEND_INCLUDE"'
  [ "$status" -eq 0 ]
  whole="$BATS_TEST_TMPDIR/whole"
  [ "$output" = "$whole/bin/cuobjdump $whole/bin/nvdisasm $whole/include $whole/include" ]
  rm "$whole/bin/nvdisasm"
  with_library "$no_wheels; CUDA_HOME='$whole'; find_cuda_tools"
  [ "$status" -eq 2 ]
  [[ "$output" == *"asked for: --no-deps nvidia-cuda-nvdisasm=="* && "$output" != *cuobjdump==* && "$output" != *nvml-dev* ]]
  [[ "$output" == *"The toolkit lacks, and these wheels could not be installed into .venv/cuda-tools: nvidia-cuda-nvdisasm=="*"with a connection." ]]
  frontend "$whole" 0
  with_library "$no_wheels; CUDA_HOME='$whole'; find_cuda_tools"
  [[ "$output" == *"asked for: --no-deps nvidia-cudnn-frontend=="*nvdisasm* ]]
}

@test "what could not be had is not asked for again within an hour, and that is said" {
  mkdir -p "$BATS_TEST_TMPDIR/bare/include" "$BATS_TEST_TMPDIR/.venv"
  ask="$no_wheels; system_cudnn_frontend() { return 1; }; CUDA_HOME='$BATS_TEST_TMPDIR/bare'; find_cudnn_frontend"
  with_library "$ask"
  [[ "$status" -eq 0 && "$output" == *"asked for:"*"the family cudnn will not be built." ]]
  with_library "$ask"
  [[ "$status" -eq 0 && "$output" != *"asked for:"* ]]
  [[ "$output" == *"less than an hour ago: the family cudnn will not be built. Remove $BATS_TEST_TMPDIR/.venv/cudnn-frontend.refused to try at once." ]]
  touch -d "2 hours ago" "$BATS_TEST_TMPDIR/.venv/cudnn-frontend.refused"
  with_library "$ask"
  [[ "$output" == *"asked for:"* ]]
}

@test "two scripts at once: the second waits, names the first, and goes on when that ends; what one calls does not wait for it" {
  library="set -euo pipefail; source '$BATS_TEST_TMPDIR/scripts/lib/common.sh'"
  cd "$BATS_TEST_TMPDIR" || exit
  bash -c "$library; hold setup 'sets up'; timeout 5 bash -c \"$library; hold setup 'sets up'; hold build-check builds\" && echo nested >held
    while [[ -e held ]]; do sleep 0.05; done" "$BATS_TEST_TMPDIR/scripts/first" 3>&- &
  first=$!
  for _ in $(seq 200); do [ ! -e held ] || break; sleep 0.05; done
  [ "$(<held)" = nested ]
  # Something else waits for nothing.
  with_library 'hold build-ci "builds"; let_go build-ci; hold build-ci "builds"; let_go build-ci; echo "held: ${GPUGAUGE_HELD:-}"'
  [ "$output" = "held: " ]
  bash -c "$library; hold setup 'sets up'; echo mine" >second 2>&1 3>&- &
  second=$!
  for _ in $(seq 200); do grep -q Waiting second && break; sleep 0.05; done
  cat second
  [[ "$(<second)" =~ ^"Waiting for scripts/first (process $first of $(id -un), since "[0-9:]+"), which sets up here."$ ]]
  rm held
  wait "$first" "$second"
  [ "$(tail -n 1 second)" = mine ]
}

@test "wheels that two scripts want at once are installed once" {
  together='new_venv() { echo made >>made; rm -rf "$1"; mkdir -p "$1/bin"; printf "#!/bin/sh\nsleep 1\n" >"$1/bin/python"; chmod +x "$1/bin/python"; }
    cd "$ROOT"; wheels "$ROOT/.venv/two" one==1 & first=$!; wheels "$ROOT/.venv/two" one==1; wait "$first"; cat made "$ROOT/.venv/two/wheels"'
  with_library "mkdir -p \"\$ROOT/.venv\"; $together"
  [ "$status" -eq 0 ]
  [[ "$output" == *$'made\none==1' ]]
  [ "$(grep -c made <<<"$output")" = 1 ]
}

@test "an older log of another user is not shown for this step's" {
  [ "$(id -u)" -eq 0 ] || skip "only root can leave another user's log"
  folder="$(mktemp -d /tmp/gpugauge-setup.XXXXXX)"
  cp -r "$BATS_TEST_TMPDIR/scripts" "$folder/"
  mkdir -p "$folder/build/log"
  chown -R 65534:65534 "$folder"
  echo "of root, long ago" >"$folder/build/log/step.log"
  chmod 600 "$folder/build/log/step.log"
  run setpriv --reuid=65534 --regid=65534 --clear-groups bash -c "source '$folder/scripts/lib/common.sh'; logged step Step sh -c 'echo of now; exit 7'"
  echo "$output"
  [ "$status" -eq 7 ]
  [[ "$output" == *"of now" && "$output" != *"long ago"* ]]
  # What root makes in another's tree is given back, with no set-up needed for it.
  bash -c "source '$folder/scripts/lib/common.sh'; trap give_back EXIT; logged step Step true"
  [ "$(find "$folder" ! -uid 65534)" = "" ]
  rm -r "$folder"
}

@test "versions compare by number, not by letter" {
  with_library 'version_at_least 3.25.1 3.25 && version_at_least 3.31 3.9 && ! version_at_least 3.22.1 3.25 && echo right'
  [ "$output" = right ]
}

@test "where root set up, the tree's owner goes on" {
  [ "$(id -u)" -eq 0 ] || skip "only root can be root first"
  folder="$(mktemp -d /tmp/gpugauge-setup.XXXXXX)"
  cp -r "$BATS_TEST_TMPDIR/scripts" "$folder/"
  chown -R 65534:65534 "$folder"
  as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups env HOME="$folder")
  "$folder/scripts/setup" --for check --cuda none
  [ "$(find "$folder" ! -uid 65534)" = "" ]
  run "${as_user[@]}" "$folder/scripts/setup" --for check --cuda none
  echo "$output"
  [ "$status" -eq 0 ]
  # A version before this one left what it made to root: it is used where nothing changes, and named where it would.
  chown -R 0:0 "$folder/.venv"
  "${as_user[@]}" "$folder/scripts/setup" --for check --cuda none
  echo "# another" >>"$folder/.venv/env.sh"
  run "${as_user[@]}" "$folder/scripts/setup" --for check --cuda none
  rm -r "$folder"
  echo "$output"
  [ "$status" -eq 3 ]
  [[ "${lines[-1]}" == "$folder/.venv belongs to root and cannot be written by nobody; "*"sudo chown -R nobody $folder/.venv $folder/build" ]]
}
