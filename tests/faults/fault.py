"""One row of the fault table, and where the rows stand."""

import dataclasses
import importlib
import pathlib

# In the order in which the page shows them; each file holds a list ROWS.
GROUPS = [
    "families",
    "samples",
    "devices",
    "runtime",
    "copies",
    "collectives",
    "files",
    "room",
    "surroundings",
    "signals",
    "together",
    "baselines",
    "policies",
    "inputs",
    "large",
    "security",
    "traced",
]


@dataclasses.dataclass
class Fault:
    """What is broken, and how the command must bear it. `run` is typed as a user types it, by bash, in a folder of
    its own (node.bash says what is there); the other scripts are what breaks."""

    name: str  # what is broken
    run: str  # the command
    code: int  # its exit code; a shell's 128 + N where signal N ends the command itself
    says: str  # a regular expression that its output must hold, standard error included
    family: str = "leave"  # what the family `bad` does instead of measuring, in sh
    describe: str = "describe"  # what it does when it is asked to describe itself
    good: bool = True  # a family without a fault stands beside it
    gpu: bool = False  # a driver with one GPU is there (a fake), and both families measure it
    scenario: str = ""  # lines for the fake driver, tests/fakes/scenario.hpp
    cuda: str | None = None  # families for a GPU beside them, and how their CUDA calls go (tests/fakes/runtime/plan.hpp)
    shim: str = ""  # what the C library answers wrongly, shim.cpp
    before: str = ""  # done to the machine first
    output: str = "none"  # out.json afterwards: none, whole, partial or earlier (as it was)
    holds: str = ""  # a bash script that must succeed afterwards
    changes: str = ""  # files of before that may change: a regular expression of their paths
    makes: str = ""  # what may be new though the command does not name it: a regular expression of whole paths
    lacks: str = ""  # a regular expression that the output must not hold
    memory_mib: int = 300  # most resident memory of any process in it
    seconds: float = 30  # it must have ended by then
    long: bool = False  # only in `scripts/test --all`
    needs: str = ""  # a bash script; where it fails the row is skipped, and what it printed is why
    group: str = ""  # set by table()


def table():
    """Every row, in the order of GROUPS. Two rows of one name are a mistake."""
    rows = []
    for group in GROUPS:
        if not (pathlib.Path(__file__).parent / "table" / f"{group}.py").is_file():
            raise FileNotFoundError(f"tests/faults/table/{group}.py")
        for row in importlib.import_module(f"table.{group}").ROWS:
            row.group = group
            rows.append(row)
    names = [f"{row.group}: {row.name}" for row in rows]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise ValueError(f"rows of one name: {sorted(twice)}")
    return rows
