#!/usr/bin/env bats
# What the bill of materials is made from.
bats_require_minimum_version 1.5.0

@test "headers of a wheel are seen where a compiler cache notes them from the build on" {
  command -v ninja >/dev/null || skip "ninja is not here"
  cd "$BATS_TEST_TMPDIR"
  mkdir -p root/build/ci root/.venv/wheel
  : >root/.venv/wheel/lent.h
  : >root/build/ci/made.h
  cat >root/build/ci/build.ninja <<'NINJA'
rule cc
  command = touch $out && printf '%s: %s\n' $out '../../.venv/wheel/lent.h made.h /usr/include/stdio.h' > $out.d
  depfile = $out.d
  deps = gcc
build x.o: cc
NINJA
  ninja -C root/build/ci >/dev/null
  run -0 "${GPUGAUGE_PYTHON:-python3}" "$GPUGAUGE_SOURCE/scripts/lib/build_headers.py" root/build/ci
  [ "$output" = "$PWD/root/.venv/wheel/lent.h"$'\n'"$PWD/root/build/ci/made.h"$'\n'/usr/include/stdio.h ]
}
