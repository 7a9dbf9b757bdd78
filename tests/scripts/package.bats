#!/usr/bin/env bats
# shellcheck disable=SC2016  # what stands in single quotes is expanded by the programs made of it
# scripts/package: where the packages go, with the build and the tools that make them replaced. Real ones: scripts/lib/test-package.

setup() {
  tree="$BATS_TEST_TMPDIR/tree"
  mkdir -p "$tree/.venv/sbom/bin" "$BATS_TEST_TMPDIR/fakes" "$BATS_TEST_TMPDIR/here"
  cp -r "$GPUGAUGE_SOURCE/scripts" "$tree/scripts"
  unset GPUGAUGE_HELD
  made "$tree/scripts/setup" 'exit 0'
  made "$tree/.venv/sbom/bin/python" 'mkdir -p "$3" && echo "{}" >"$3/sbom.cdx.json"'
  bash -c 'source "$1/scripts/lib/common.sh"; printf "cyclonedx-python-lib[json-validation]==%s" "$PIN_CYCLONEDX_WHEEL_VERSION"' - "$tree" >"$tree/.venv/sbom/wheels"
  made "$BATS_TEST_TMPDIR/fakes/cmake" 'case "$1" in
    --build) mkdir -p "$2/bin" && printf "#!/bin/sh\necho gpugauge 0.1.0\n" >"$2/bin/gpugauge" && chmod +x "$2/bin/gpugauge" ;;
    --install) mkdir -p "$4" && echo "$BYTES" >"$4/file" ;;
  esac'
  made "$BATS_TEST_TMPDIR/fakes/cpack" 'while [ "$1" != -B ]; do shift; done; echo "$BYTES" >"$2/gpugauge_0.1.0_amd64.deb"'
  made "$BATS_TEST_TMPDIR/fakes/checked" 'echo checked'
  export PATH="$BATS_TEST_TMPDIR/fakes:$PATH" GPUGAUGE_PYTHON="$BATS_TEST_TMPDIR/fakes/checked" BYTES=first
  export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
  git -C "$tree" init -q && git -C "$tree" commit -q --allow-empty -m one
  cd "$BATS_TEST_TMPDIR/here" || exit
}

# made FILE WORDS: a program of these words of shell.
made() {
  printf '#!/bin/sh\n%s\n' "$2" >"$1"
  chmod +x "$1"
}

@test "--output is a folder of where the command was typed, and its checksums hold for all that lies there" {
  mkdir dist
  echo older >dist/gpugauge_0.0.9_amd64.deb
  for BYTES in first second; do
    run "$tree/scripts/package" --output dist
    echo "$output"
    [ "$status" -eq 0 ]
    [ "$(cd dist && printf '%s ' *)" = "SHA256SUMS gpugauge-0.1.0-linux-$(uname -m).tar.gz gpugauge-0.1.0.cdx.json gpugauge_0.0.9_amd64.deb gpugauge_0.1.0_amd64.deb " ]
    (cd dist && sha256sum --check --quiet SHA256SUMS)
    [ "$(wc -l <dist/SHA256SUMS)" = 4 ]
    [ "$(<dist/gpugauge_0.1.0_amd64.deb)" = "$BYTES" ]
    [ "$(printf '%s ' *)" = "dist " ]
  done
}

@test "where the last step is cut short, the checksums tell" {
  run "$tree/scripts/package" --output dist
  [ "$status" -eq 0 ]
  # Cut short between the files: the checksums are the new ones already.
  made "$BATS_TEST_TMPDIR/fakes/mv" 'case "$*" in */dist/) exec /bin/mv "$1" dist/ ;; esac; exec /bin/mv "$@"'
  BYTES=second run "$tree/scripts/package" --output dist
  echo "$output"
  run bash -c 'cd dist && sha256sum --check SHA256SUMS'
  echo "$output"
  [ "$status" -ne 0 ]
}

@test "a step that fails ends with 2 and a sentence that names it, whatever its program ends with" {
  bats_require_minimum_version 1.5.0
  steps=("--preset" "The build could not be configured; $tree/build/log/package-configure.log says why."
    "--build" "The build failed; $tree/build/log/package-build.log says where."
    "--install" "The build could not be installed into ")
  for ((at = 0; at < ${#steps[@]}; at += 2)); do
    cp "$BATS_TEST_TMPDIR/fakes/cmake" real
    made "$BATS_TEST_TMPDIR/fakes/cmake" 'case "$*" in *'"${steps[at]}"'*) exit 1 ;; esac; exec '"$PWD/real"' "$@"'
    run -2 "$tree/scripts/package" --output dist
    [[ "${lines[-1]}" == *"${steps[at + 1]}"* ]]
    mv real "$BATS_TEST_TMPDIR/fakes/cmake"
  done
  for program in "checked:What was built is not fit for a package" "cpack:The Debian package could not be made" "gzip:scripts/package failed in its line "; do
    cp "$(command -v "${program%%:*}")" real
    made "$BATS_TEST_TMPDIR/fakes/${program%%:*}" 'exit 5'
    run -2 "$tree/scripts/package" --output dist
    [[ "${lines[-1]}" == "${program#*:}"* ]]
    mv real "$BATS_TEST_TMPDIR/fakes/${program%%:*}"
  done
  made "$tree/.venv/sbom/bin/python" 'exit 1'
  run -2 "$tree/scripts/package" --output dist
  [[ "${lines[-1]}" == "The bill of materials could not be made"* ]]
  for code in 3 100; do
    made "$tree/scripts/setup" "exit $code"
    run "$tree/scripts/package" --output dist
    [ "$status" -eq "$([ "$code" = 3 ] && echo 3 || echo 2)" ]
  done
  [ ! -e dist ]
}
