# shellcheck shell=bash disable=SC2034
# The GPU tests under NVIDIA's compute-sanitizer: memory errors, races, barriers, memory that was never written.
STAGE_ORDER=40
STAGE_TITLE="GPU tests under compute-sanitizer"
STAGE_SECONDS=480
stage_commands() {
  # Timing makes no sense under it, and large sizes take minutes: what is tested on small ones counts.
  cat <<TEXT
sanitizer="\$(command -v compute-sanitizer || true)"
[ -n "\$sanitizer" ] || sanitizer="\${CUDA_HOME:-/usr/local/cuda}/bin/compute-sanitizer"
[ -x "\$sanitizer" ] || { echo "compute-sanitizer is not installed: it comes with the CUDA toolkit"; exit 1; }
for tool in memcheck racecheck synccheck initcheck; do
  timeout 110 "\$sanitizer" --tool "\$tool" --error-exitcode 9 --log-file "\$OUT/\$tool.txt" \
    "\$BUILD/bin/test_gpu" --gtest_filter='-*Timer*:*Blocker*:*Clock*:*Ruler*' >"\$OUT/\$tool-tests.txt" 2>&1
done
TEXT
}
