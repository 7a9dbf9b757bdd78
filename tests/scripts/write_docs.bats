# scripts/lib/write-docs, and scripts/test --write-docs: every generated page from its source, by one command.
bats_require_minimum_version 1.5.0

# A tree with made writers: each writes its page as $SAYS, and the one that $FAILS names fails.
setup() {
  tree="$BATS_TEST_TMPDIR/tree"
  mkdir -p "$tree"/{scripts/lib,tests/faults,docs/findings,build/ci/bin}
  cp "$GPUGAUGE_SOURCE"/scripts/versions.env "$tree/scripts/"
  cp "$GPUGAUGE_SOURCE"/scripts/lib/{write-docs,common.sh} "$tree/scripts/lib/"
  export GPUGAUGE_PYTHON="$BATS_TEST_TMPDIR/python" CALLS="$BATS_TEST_TMPDIR/calls" TREE="$tree" SAYS=new FAILS=none LACKS=none
  printf '#!/bin/sh\n' >"$tree/build/ci/bin/gpugauge"
  echo "CMAKE_HOME_DIRECTORY:INTERNAL=$tree" >"$tree/build/ci/CMakeCache.txt"
  cat >"$GPUGAUGE_PYTHON" <<'SH'
#!/usr/bin/env bash
name="$(basename "$2" .py)"
echo "$*" >>"$CALLS"
[[ "$name" != "$FAILS" ]] || { echo "$name cannot be read"; exit 2; }
echo "$SAYS" >"$TREE/docs/$name.md"
[[ "$LACKS" != "$name" ]] || echo "not looked at: nccl (not in $3)"
SH
  cat >"$BATS_TEST_TMPDIR/test" <<'SH'
#!/usr/bin/env bash
name="$(basename "$0")"
[[ "$*" != *list_tests* ]] || { [[ "$name" == "$FAILS" ]] || echo One.Test; exit 0; }
echo "$name $GPUGAUGE_WRITE_DOCS $*" >>"$CALLS"
echo "$SAYS" >"$TREE/docs/findings/$name.md"
SH
  chmod +x "$tree/build/ci/bin/gpugauge" "$GPUGAUGE_PYTHON" "$BATS_TEST_TMPDIR/test"
  for room in report stack diagnose; do cp "$BATS_TEST_TMPDIR/test" "$tree/build/ci/bin/test_$room"; done
}

@test "every writer is asked to write, and the pages that changed are named" {
  cd "$tree"
  run -0 scripts/lib/write-docs build/ci
  [[ $output == *"changed: docs/benchmarks.md"* && $output == *"changed: docs/findings/test_report.md"* ]]
  [ "${lines[-1]}" = "6 pages changed, 0 of 6 writers failed" ]
  [ "$(grep -c -- '--write$' "$CALLS")" -eq 3 ]
  [ "$(grep -c '^test_[a-z]* 1 ' "$CALLS")" -eq 3 ]
  run -0 scripts/lib/write-docs build/ci
  [ "$output" = "0 pages changed, 0 of 6 writers failed" ]
}

@test "a writer that fails, and a test that is not there, are named, and the others still write" {
  cd "$tree"
  FAILS=figures run -1 scripts/lib/write-docs build/ci
  [[ $output == *"figures cannot be read"*"docs/figures.md: not written, or its test still fails (status 2)"* ]]
  [ "${lines[-1]}" = "5 pages changed, 1 of 6 writers failed" ]
  FAILS=test_report run -1 scripts/lib/write-docs build/ci
  [[ $output == *"test_report has no test CausePages."* ]]
}

@test "a family that the build lacks is said, though its page was written" {
  cd "$tree"
  LACKS=benchmarks run -0 scripts/lib/write-docs build/ci
  [ "${lines[0]}" = "not looked at: nccl (not in $tree/build/ci)" ]
}

@test "what is no build folder of this tree, and other words, are usage errors" {
  cd "$tree"
  run -2 scripts/lib/write-docs
  run -2 scripts/lib/write-docs --write
  run -2 scripts/lib/write-docs build/ci build/ci
  run -2 scripts/lib/write-docs docs
  [[ $output == *"docs is no build folder"*"scripts/test --write-docs"* ]]
  echo "CMAKE_HOME_DIRECTORY:INTERNAL=/elsewhere" >build/ci/CMakeCache.txt
  run -2 scripts/lib/write-docs build/ci
  [[ $output == *"build/ci was not built from $tree"* ]]
  [ ! -e "$CALLS" ]
}

@test "each unit test that it runs is one of this build, and every one that can write a page is run" {
  local filter name looked_at=0
  while read -r name filter; do
    [ -n "$("$GPUGAUGE_BUILD/bin/test_$name" --gtest_list_tests --gtest_filter="$filter")" ]
    looked_at=$((looked_at + 1))
  done < <(sed -nE "s/^write_.* by_test ([a-z]+) '(.*)'; \}$/\1 \2/p" "$GPUGAUGE_SOURCE/scripts/lib/write-docs")
  run -0 grep -rl GPUGAUGE_WRITE_DOCS "$GPUGAUGE_SOURCE/tests/unit" --include=*.cpp --include=*.hpp
  [ "${#lines[@]}" -eq "$looked_at" ]
}

@test "scripts/test --write-docs builds before it writes, and its help says so" {
  run -0 "$GPUGAUGE_SOURCE/scripts/test" --write-docs --list
  [ "${#lines[@]}" -eq 3 ]
  [[ ${lines[0]} == configure:* && ${lines[1]} == build:* && ${lines[2]} == pages:* ]]
  run -0 "$GPUGAUGE_SOURCE/scripts/test" --help
  [[ $output == *--write-docs* ]]
  run -0 "$GPUGAUGE_SOURCE/scripts/test" --list
  [[ $output != *pages:* ]]
}
