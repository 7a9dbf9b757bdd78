#!/usr/bin/env python3
"""Reads the names of the error codes from NVIDIA's headers. Usage: error-codes.py CUDA_INCLUDE_FOLDER NVML_H CUDA_VERSION

Prints harness/stack/compat/data/error_names.json: every value of cudaError (driver_types.h), CUresult (cuda.h) and
nvmlReturn_t (nvml.h). CUDA_VERSION, "13.0", goes into the source of each row. Ends with 1 when a header holds none.
"""
import json
import pathlib
import re
import sys

PATTERNS = {
    "runtime": ("driver_types.h", r"(cudaSuccess|cudaError\w+)"),
    "driver": ("cuda.h", r"(CUDA_SUCCESS|CUDA_ERROR_\w+)"),
    "nvml": ("nvml.h", r"(NVML_SUCCESS|NVML_ERROR_\w+)"),
}


def rows_of(api, header, cuda):
    name, pattern = PATTERNS[api]
    text = header.read_text(encoding="utf-8", errors="replace")
    found = {}
    for match in re.finditer(r"^\s+" + pattern + r"\s*=\s*(\d+)\s*,?\s*(?:/|$)", text, re.MULTILINE):
        found.setdefault(int(match.group(2)), match.group(1))
    return [{"api": api, "code": code, "name": found[code], "source": f"{name} of CUDA {cuda}", "read": True}
            for code in sorted(found)]


def main(include, nvml, cuda):
    headers = {"runtime": pathlib.Path(include, "driver_types.h"), "driver": pathlib.Path(include, "cuda.h"),
               "nvml": pathlib.Path(nvml)}
    rows = []
    for api, header in headers.items():
        try:
            read = rows_of(api, header, cuda)
        except OSError as error:
            print(f"{header}: {error.strerror}", file=sys.stderr)
            return 1
        if not read:
            print(f"{header}: no error code was found in it", file=sys.stderr)
            return 1
        rows += read
    body = ",\n    ".join(json.dumps(row) for row in rows)
    print('{\n  "table": "error_names",\n  "rows": [\n    ' + body + "\n  ]\n}")
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
