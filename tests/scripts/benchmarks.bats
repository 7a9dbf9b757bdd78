# scripts/lib/benchmarks.py: docs/benchmarks.md from what the families describe.
bats_require_minimum_version 1.5.0

setup() {
  export PYTHON="${GPUGAUGE_PYTHON:-python3}"
  page="$BATS_TEST_TMPDIR/benchmarks.md"
  cp "$GPUGAUGE_SOURCE/docs/benchmarks.md" "$page"
}

doc() {
  "$PYTHON" -B "$GPUGAUGE_SOURCE/scripts/lib/benchmarks.py" "$@" --page "$page"
}

@test "the page is stale, by family, when a definition says something else, and is written anew" {
  doc "$GPUGAUGE_BUILD" --write
  run -0 doc "$GPUGAUGE_BUILD"
  [[ $output != *stale* ]]
  sed -i 's/Cost of reading the monotonic clock/Cost of looking at the clock/' "$page"
  run -1 doc "$GPUGAUGE_BUILD"
  [[ $output == *"benchmarks.md is stale: host"* && $output != *"stale: the head"* && $output == *--write* ]]
  run -0 doc "$GPUGAUGE_BUILD" --write
  run -0 doc "$GPUGAUGE_BUILD"
}

@test "a family that the build lacks keeps its section and is named, one that is gone loses it" {
  doc "$GPUGAUGE_BUILD" --write
  mkdir -p "$BATS_TEST_TMPDIR/build/libexec/gpugauge"
  ln -s "$GPUGAUGE_BUILD/libexec/gpugauge/gpugauge-bench-host" "$BATS_TEST_TMPDIR/build/libexec/gpugauge/"
  printf '\n## formerly\n\n### formerly/here\n' >>"$page"
  run -1 doc "$BATS_TEST_TMPDIR/build"
  [[ $output == *"not looked at: launch"* && $output == *"stale: formerly"* && $output != *"stale: host"* ]]
  doc "$BATS_TEST_TMPDIR/build" --write
  run -0 doc "$BATS_TEST_TMPDIR/build"
  grep -q '^### launch/enqueue' "$page"
  [[ $(cat "$page") != *formerly* ]]
}

@test "a build without families, and a family that fails, cannot be told from" {
  mkdir -p "$BATS_TEST_TMPDIR/build/libexec/gpugauge"
  : >"$page"
  run -2 doc "$BATS_TEST_TMPDIR/build"
  [[ $output == *"has no families"* ]]
  printf '#!/bin/sh\necho broken >&2\nexit 3\n' >"$BATS_TEST_TMPDIR/build/libexec/gpugauge/gpugauge-bench-host"
  chmod +x "$BATS_TEST_TMPDIR/build/libexec/gpugauge/gpugauge-bench-host"
  run -2 doc "$BATS_TEST_TMPDIR/build"
  [[ $output == *"ended with 3: broken"* ]]
}

@test "every benchmark that a ratio needs is one of a family that was built" {
  local families
  families=("$GPUGAUGE_BUILD"/libexec/gpugauge/gpugauge-bench-*)
  for family in gemm cublas cudnn cub memory copy primitive; do
    [ -x "$GPUGAUGE_BUILD/libexec/gpugauge/gpugauge-bench-$family" ] || skip "the family $family was not built"
  done
  for family in "${families[@]}"; do "$family" --benchmark_list_tests; done >"$BATS_TEST_TMPDIR/ids"
  run -0 "$PYTHON" "$GPUGAUGE_SOURCE/scripts/lib/ratios.py" --ids
  for id in "${lines[@]}"; do grep -qx "$id" "$BATS_TEST_TMPDIR/ids" || { echo "no benchmark $id"; return 1; }; done
}
