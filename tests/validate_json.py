#!/usr/bin/env python3
"""validate_json.py KIND FILE: checks FILE against docs/schema/KIND.schema.json; ends with 1 and the place if it does not fit."""

import json
import pathlib
import sys

import jsonschema

schemas = pathlib.Path(__file__).resolve().parent.parent / "docs" / "schema"


def main() -> int:
    kind, file = sys.argv[1:]
    store = {path.name: json.loads(path.read_text()) for path in schemas.glob("*.schema.json")}
    schema = store[f"{kind}.schema.json"]
    jsonschema.Draft202012Validator.check_schema(schema)
    resolver = jsonschema.RefResolver(base_uri=schema["$id"], referrer=schema, store=store)
    validator = jsonschema.Draft202012Validator(schema, resolver=resolver)
    faults = sorted(validator.iter_errors(json.loads(pathlib.Path(file).read_text())), key=lambda fault: list(fault.path))
    for fault in faults[:5]:
        print(f"{file}: {'.'.join(map(str, fault.path))}: {fault.message[:200]}", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
