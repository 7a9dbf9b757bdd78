#!/usr/bin/env bats
# scripts/lib/error-codes.py, which reads the names of error codes from NVIDIA's headers, with headers made of the names that are known.
bats_require_minimum_version 1.5.0

setup() {
  cd "$BATS_TEST_TMPDIR" || exit
  table="$GPUGAUGE_SOURCE/harness/stack/compat/data/error_names.json"
  mkdir include
  python3 - "$table" <<'PY'
import json, sys
for api, path in ("runtime", "include/driver_types.h"), ("driver", "include/cuda.h"), ("nvml", "nvml.h"):
    rows = [row for row in json.load(open(sys.argv[1]))["rows"] if row["api"] == api]
    open(path, "w").write("typedef enum {\n" + "".join(f"    {row['name']} = {row['code']}, //!< text\n" for row in rows) + "} t;\n")
PY
}

@test "of the headers that the table was read from it prints the table" {
  run -0 --separate-stderr python3 -B "$GPUGAUGE_SOURCE/scripts/lib/error-codes.py" include nvml.h 13.0
  diff <(echo "$output") "$table"
}

@test "a header that is not there or holds none is named, and nothing printed" {
  echo >nvml.h
  run -1 python3 -B "$GPUGAUGE_SOURCE/scripts/lib/error-codes.py" include nvml.h 13.0
  [ "$output" = "nvml.h: no error code was found in it" ]
  run -1 python3 -B "$GPUGAUGE_SOURCE/scripts/lib/error-codes.py" gone nvml.h 13.0
  [ "$output" = "gone/driver_types.h: No such file or directory" ]
}
