# shellcheck shell=bash disable=SC2034
# The tests under the label `gpu`, by their own executable: no CTest is needed.
STAGE_ORDER=10
STAGE_TITLE="GPU tests"
STAGE_SECONDS=300
stage_commands() {
  # A run in which every test was skipped proves nothing.
  cat <<TEXT
"\$BUILD/bin/test_gpu" --gtest_output="json:\$OUT/tests.json"
grep -q '"result": "COMPLETED"' "\$OUT/tests.json"
TEXT
}
