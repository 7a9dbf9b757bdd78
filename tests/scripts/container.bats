# shellcheck disable=SC2016  # ${BASE} is the Containerfile's, and the rest that of the programs made here
# scripts/container: what can be said of the image without building it. scripts/lib/test-container builds it.
bats_require_minimum_version 1.5.0

setup() {
  container="$GPUGAUGE_SOURCE/scripts/container"
  linters="${GPUGAUGE_LINTERS:-$GPUGAUGE_SOURCE/.venv/linters/bin}"
}

@test "hadolint has nothing to say of the Containerfile" {
  if [ ! -x "$linters/hadolint" ]; then skip "hadolint is not installed: scripts/setup --for test installs it"; fi
  run -0 "$linters/hadolint" --no-color "$container/Containerfile"
  [ "$output" = "" ]
}

@test "the Containerfile copies every file of the root that is installed" {
  copied="$(grep '^COPY [^-]' "$container/Containerfile" | tr ' ' '\n')"
  installed="$(sed -n 's/^install(FILES \([A-Z][A-Za-z. ]*\) DESTINATION.*/\1/p' "$GPUGAUGE_SOURCE/scripts/cmake/Package.cmake" | tr ' ' '\n')"
  grep -qx LICENSE <<<"$installed"
  for file in $installed; do grep -qxF "$file" <<<"$copied"; done
}

@test "the base can be given with a digest: every stage starts from it, and the image says what it was" {
  file="$container/Containerfile"
  [ "$(grep '^FROM ' "$file" | cut -d ' ' -f 2 | sort -u)" = '${BASE}' ]
  grep -q 'org.opencontainers.image.base.name="${BASE}"' "$file"
}

@test "the image asks for no GPU by itself: who starts a container of it says which" {
  run -1 grep -E '^[^#]*NVIDIA_VISIBLE_DEVICES' "$container/Containerfile"
  grep -q 'NVIDIA_DRIVER_CAPABILITIES=compute,utility' "$container/Containerfile"
}

# made FILE WORDS: a program of these words of shell.
made() {
  printf '#!/bin/sh\n%s\n' "$2" >"$1"
  chmod +x "$1"
}

@test "a library that lies there already is left, with a cp whose -n ends with 1 for it, and one that cannot be copied ends the bundle" {
  cd "$BATS_TEST_TMPDIR" || exit
  mkdir -p tree/scripts/lib fakes prefix/bin prefix/libexec/gpugauge/lib build opened here
  cp -r "$container" tree/scripts/
  echo 'pass' >tree/scripts/lib/owners.py
  made prefix/bin/gpugauge 'echo gpugauge 0.1.0'
  made prefix/libexec/gpugauge/gpugauge-bench-nccl 'exit 0'
  echo first >here/libfoo.so.1
  echo other >opened/libcudnn.so.9
  made fakes/ldd 'echo "	libfoo.so.1 => $HERE/libfoo.so.1 (0x0)"; case "$1" in *bench*) echo "	libcudnn.so.9 => $HERE/libcudnn.so.9 (0x0)" ;; esac'
  cp opened/libcudnn.so.9 here/
  made fakes/patchelf 'exit 0'
  made fakes/cp 'case "$1" in -*n*) [ ! -e "$3/${2##*/}" ] || exit 1 ;; esac; exec /bin/cp "$@"'
  export HERE="$PWD/here" PATH="$PWD/fakes:$PATH"
  for _ in once again; do
    run -0 tree/scripts/container/bundle prefix build opened
    [ "$(cat prefix/lib/libfoo.so.1 prefix/libexec/gpugauge/lib/libfoo.so.1 prefix/libexec/gpugauge/lib/libcudnn.so.9)" = $'first\nfirst\nother' ]
    echo second >here/libfoo.so.1
  done
  rm prefix/lib/libfoo.so.1
  made fakes/cp 'echo "cp: No space left on device" >&2; exit 1'
  run -1 tree/scripts/container/bundle prefix build opened
  [[ $output == *"No space left on device"* ]]
}
