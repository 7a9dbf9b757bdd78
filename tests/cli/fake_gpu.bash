# A GPU that is none: the driver is a fake whose version a test changes, the family a script that reports what it is
# told. What a command says of them rests on neither this machine's speed nor its hardware.

# A family "probe" of one benchmark, which measures as the lines on standard input say: $samples and $seed are what its flags gave,
# $here is its folder.
probe_family() {
  export GPUGAUGE_LIBEXEC="$PWD/libexec"
  mkdir -p "$GPUGAUGE_LIBEXEC"
  {
    cat <<'SH'
#!/bin/sh
for word; do
  case $word in
    --gpugauge_describe)
      cat <<'JSON'
{"schema": "gpugauge.definitions/1", "family": "probe", "definitions": [
  {"id": "probe/op", "class": "launch", "isolates": "x", "bad_value": "y", "window_share": 1,
   "ids": ["probe/op"], "depths": {"probe/op": "smoke"}, "requires": {"gpu": true}}]}
JSON
      exit 0 ;;
    --gpugauge_samples=*) samples=${word#*=} ;;
    --gpugauge_seed=*) seed=${word#*=} ;;
  esac
done
here=$(dirname "$0")
SH
    cat
  } >"$GPUGAUGE_LIBEXEC/gpugauge-bench-probe"
  chmod +x "$GPUGAUGE_LIBEXEC/gpugauge-bench-probe"
}

# One GPU with a driver of 570.86.15 and a family that takes 1 ms.
one_gpu() {
  [ -e "$GPUGAUGE_BUILD/tests/fakes/driver/libcuda.so.1" ] || skip "the fake driver is not built"
  export GPUGAUGE_FAKE_SCENARIO="$PWD/scenario" LD_LIBRARY_PATH="$PWD/driver"
  probe_family <<'SH'
[ ! -e "$here/hang" ] || { : >"$here/hanging"; sleep 60; }
cp "$here/now.json" "$samples"
SH
  driver 570.86.15
  latency 0.001
}

# driver VERSION [KEY=VALUE ...]: what the driver is from now on, and what else it says (tests/fakes/scenario.hpp).
driver() {
  printf '%s\n' devices=1 "name=NVIDIA H100 80GB HBM3" capability=90 "nvml_driver=$1" "${@:2}" >scenario
  rm -rf driver && mkdir driver
  # A driver library's file name tells its version.
  for library in libcuda libnvidia-ml; do
    cp "$GPUGAUGE_BUILD/tests/fakes/driver/$library.so.1" "driver/$library.so.$1"
    ln -s "$library.so.$1" "driver/$library.so.1"
  done
}

# latency SECONDS: what the family measures from now on.
latency() {
  cat >"$GPUGAUGE_LIBEXEC/now.json" <<JSON
{"schema": "gpugauge.samples/1", "family": "probe", "status": "ok", "reason": "", "suite_version": "0.1.0",
 "source_hash": "aa", "seed": 1, "context": {}, "benchmarks": [{"id": "probe/op", "status": "ok", "reason": "",
  "parameters": {}, "notes": {}, "work": {"bytes": 0, "flops": 0, "items": 0},
  "batches": {"operations_per_batch": 1, "seconds_per_operation": [$1, $1], "cpu_seconds_per_operation": [],
              "sm_clock_hz": [], "window_seconds": 0.002, "cpu_seconds": 0},
  "metrics": [{"name": "latency", "unit": "second", "better": "lower", "class": "launch", "statistic": "median",
               "value": $1, "resolution": 0, "judged": true, "note": ""}],
  "verifications": [{"method": "made for the test", "passed": true}]}]}
JSON
}
