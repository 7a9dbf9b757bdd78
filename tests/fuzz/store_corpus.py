#!/usr/bin/env python3
"""Makes the seeds of the fuzz target store_file anew, after the schema of the history changed.

    store_corpus.py BUILD      BUILD: a build folder with bin/gpugauge

A history of one run, small enough for a fuzzer (pages of 512 bytes), and the same with damages that a mutation would
hardly make. other.sqlite is of no GPUGauge and stays.
"""

import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile

FUZZ = pathlib.Path(__file__).resolve().parent
DAMAGES = {
    "damaged": ["UPDATE metric SET id = -id, better = 'sideways'"],
    "missing_facts": ["DELETE FROM fingerprint", "UPDATE measurement SET process_values = '1,2'"],
    "recorded": ["UPDATE recorded SET process_values = '[]'", """UPDATE choice SET benchmarks = '["b","c"]'"""],
    "health": ["INSERT INTO health VALUES (1, 0, 'health/memory', 'failed', 'a row'), (1, 1, 'health/xid', 'fine', '')"],
    "view": [
        "DROP TABLE fault",
        "CREATE VIEW fault AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x AS run FROM c",
    ],
}


def seed(history, name, statements):
    copy = history.with_name(f"{name}.sqlite")
    shutil.copy(history, copy)
    base = sqlite3.connect(copy, isolation_level=None)
    for statement in ["PRAGMA foreign_keys = OFF", *statements, "PRAGMA journal_mode = DELETE", "PRAGMA page_size = 512", "VACUUM"]:
        base.execute(statement)
    base.close()
    shutil.copy(copy, FUZZ / "corpus" / "store_file" / copy.name)


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(__doc__)
        return 0 if "--help" in sys.argv else 2
    command = pathlib.Path(sys.argv[1]).resolve() / "bin" / "gpugauge"
    with tempfile.TemporaryDirectory() as folder:
        made = pathlib.Path(folder) / "made.sqlite"
        run = pathlib.Path("tests/fuzz/corpus/run_file/run.json")
        words = ["history", "ingest", str(run), "--node", "n1", "--store", str(made), "--quiet"]
        subprocess.run([command, *words], cwd=FUZZ.parents[1], check=True)
        for name, statements in {"history": [], **DAMAGES}.items():
            seed(made, name, statements)
    return 0


if __name__ == "__main__":
    sys.exit(main())
