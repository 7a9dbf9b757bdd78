#!/usr/bin/env bats
# Every choice of tests that the pages and the scripts make chooses some. CTest ends with 0 when it found none.
bats_require_minimum_version 1.5.0

# The number of tests that CTest would run in this build.
chosen() {
  ctest --test-dir "$GPUGAUGE_BUILD" --show-only=json-v1 "$@" >"$BATS_TEST_TMPDIR/chosen.json"
  "${GPUGAUGE_PYTHON:-python3}" -c 'import json, sys; print(len(json.load(open(sys.argv[1]))["tests"]))' \
    "$BATS_TEST_TMPDIR/chosen.json"
}

with_cuda() { [ -e "$GPUGAUGE_BUILD/bin/test_gpu" ]; }

# "-L judge" and the like, one a line, of every command in backticks that a page shows.
commands_of_pages() {
  # shellcheck disable=SC2016 # backticks of the pages
  sed -nE 's/.*ctest [^`]*(-[LR]) ([^` ]+).*/\1 \2/p' "$GPUGAUGE_SOURCE"/docs/*.md "$GPUGAUGE_SOURCE"/docs/*/*.md | sort -u
}

@test "every ctest -L and -R of the pages chooses tests" {
  local count=0 option word
  while read -r option word; do
    [[ "$word" =~ ^(kernels|codegen|gpu)$ ]] && ! with_cuda && continue
    echo "ctest $option $word"
    [ "$(chosen "$option" "$word")" -gt 0 ]
    count=$((count + 1))
  done < <(commands_of_pages)
  [ "$count" -ge 8 ]
}

@test "every test has a label and a limit of time" {
  ctest --test-dir "$GPUGAUGE_BUILD" --show-only=json-v1 >"$BATS_TEST_TMPDIR/all.json"
  run -0 "${GPUGAUGE_PYTHON:-python3}" - "$BATS_TEST_TMPDIR/all.json" <<'PYTHON'
import json, sys
lacking = []
for test in json.load(open(sys.argv[1]))["tests"]:
    properties = {entry["name"]: entry["value"] for entry in test.get("properties", [])}
    if not properties.get("LABELS") or not properties.get("TIMEOUT"):
        lacking.append(test["name"])
print(len(lacking), lacking[:5])
sys.exit(bool(lacking))
PYTHON
}

@test "the tests of a room are those of that room" {
  [ "$(chosen -L judge)" -gt 100 ]
  [ "$(chosen -L '^unit\.judge$' -E '^judge\.')" -eq 0 ]
  [ "$(chosen -R '^judge\.' -LE '^unit\.judge$')" -eq 0 ]
}

@test "coverage takes the rooms, the command and the faults, and leaves the emulated kernels out" {
  local words tests
  words="$(sed -nE "s/^  chosen=\((.*)\)$/\1/p" "$GPUGAUGE_SOURCE/scripts/lib/coverage")"
  eval "set -- $words"
  [ $# -eq 6 ]
  for tests in '^judge\.' '^result\.' '^cli\.' '^faults\.table'; do
    [ "$(chosen "$@" -R "$tests")" -gt 0 ]
  done
  [ "$(chosen "$@" -R '^kernels\.')" -eq 0 ]
}

@test "what runs under ThreadSanitizer is there" {
  local regex
  regex="$(sed -nE "s/^chosen='(.*)'$/\1/p" "$GPUGAUGE_SOURCE/scripts/lib/test-threads")"
  [ -n "$regex" ]
  [ "$(chosen -R "$regex")" -gt 100 ]
}
