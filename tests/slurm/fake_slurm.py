#!/usr/bin/env python3
"""Stands for Slurm's commands, as many as scripts/slurm calls: linked under their names, it does what its name says.

$FAKE_SLURM/nodes/NAME holds "STATE" and a reason on a second line; $FAKE_SLURM/jobs/ID the process of a job; calls are logged.
"""
import os
import pathlib
import re
import subprocess
import sys
import time

HERE = pathlib.Path(os.environ["FAKE_SLURM"])


def expand(text):
    """Names of "a,node[1-3,7]"."""
    out = []
    for part in re.findall(r"[^,\[]+(?:\[[^\]]*\])?", text):
        found = re.fullmatch(r"([^\[]*)\[(.*)\]", part)
        if not found:
            out.append(part)
            continue
        for some in found.group(2).split(","):
            first, _, last = some.partition("-")
            out += [f"{found.group(1)}{number}" for number in range(int(first), int(last or first) + 1)]
    return out


def option(words, name, default=""):
    return next((word.split("=", 1)[1] for word in words if word.startswith(f"--{name}=")), default)


def command_of(words):
    return next(index for index, word in enumerate(words) if not word.startswith("-"))


def node_of(name):
    """[state, reason] of a node, or the end of the command."""
    try:
        return ((HERE / "nodes" / name).read_text().split("\n") + ["", ""])[:2]
    except FileNotFoundError:
        sys.exit(f"scontrol: error: Node {name} not found")


def sinfo(words):
    wanted = expand(option(words, "nodes")) if option(words, "nodes") else None
    for file in sorted((HERE / "nodes").iterdir()):
        state, reason = node_of(file.name)
        if wanted is None or file.name in wanted:
            print(f"{file.name}|{'drained' if 'DRAIN' in state else state.lower()}|{reason or 'none'}")


def scontrol(words):
    if words[:2] == ["show", "hostnames"]:
        print("\n".join(expand(words[2])))
    elif words[:2] == ["show", "node"]:
        state, reason = node_of(words[-1])
        print(f"NodeName={words[-1]} Arch=x86_64 State={state} Partitions=all" + (f" Reason={reason} [root@2026-01-01T00:00:00]" if reason else ""))
    elif words[:2] == ["--oneliner", "show"]:
        print(f"JobId={words[-1]} JobState=NODE_FAIL Reason=None")
    elif words[0] == "update":
        if (HERE / "refuses").exists():
            sys.exit("slurm_update error: Invalid user id")
        facts = dict(word.split("=", 1) for word in words[1:])
        state, reason = node_of(facts["NodeName"])
        if facts["State"] == "DRAIN":
            state, reason = "IDLE+DRAIN", facts["Reason"]
        elif facts["State"] == "RESUME":
            state, reason = "IDLE", ""
        (HERE / "nodes" / facts["NodeName"]).write_text(f"{state}\n{reason}")


def sbatch(words):
    """Starts the script in the background as the node it is for; a node named lost starts none, a busy one never begins."""
    at = command_of(words)
    node, log = option(words, "nodelist"), option(words, "output")
    number = str(100 + len(list((HERE / "jobs").iterdir())))
    if node.startswith("lost"):
        pid = 0
    elif node.startswith("busy"):
        pid = -1
    else:
        with open(log, "ab") as file:
            pid = subprocess.Popen(words[at:], env=dict(os.environ, SLURMD_NODENAME=node, SLURM_JOB_ID=number), stdin=subprocess.DEVNULL,
                                   stdout=file, stderr=file, start_new_session=True).pid
    (HERE / "jobs" / number).write_text(str(pid))
    print(number)


def squeue(words):
    for job in option(words, "jobs").split(","):
        pid = int((HERE / "jobs" / job).read_text())
        if pid == -1:
            print(f"{job}|PENDING|Resources")
        elif pid > 0 and pathlib.Path(f"/proc/{pid}").exists():
            print(f"{job}|RUNNING|None")


def scancel(words):
    for job in words:
        (HERE / "jobs" / job).write_text("0")


def srun(words):
    """Every task of the step at the same time."""
    at = command_of(words)
    nodes, each = expand(option(words, "nodelist")), int(option(words, "ntasks-per-node", "1"))
    tasks = []
    for rank in range(len(nodes) * each):
        tasks.append(subprocess.Popen(words[at:], env=dict(
            os.environ, SLURMD_NODENAME=nodes[rank // each], SLURM_PROCID=str(rank), SLURM_LOCALID=str(rank % each), SLURM_STEP_ID="0",
            SLURM_STEP_NUM_TASKS=str(len(nodes) * each), SLURM_STEP_NODELIST=option(words, "nodelist"))))
    sys.exit(max(task.wait() for task in tasks))


def salloc(words):
    at = command_of(words)
    sys.exit(subprocess.run(words[at:], env=dict(os.environ, SLURM_JOB_ID="1", SLURM_JOB_NODELIST=option(words, "nodelist")),
                            check=False).returncode)


if __name__ == "__main__":
    NAME = pathlib.Path(sys.argv[0]).name
    with open(HERE / "calls", "a", encoding="utf-8") as calls:
        calls.write(" ".join([NAME] + sys.argv[1:]) + "\n")
    if (HERE / "hangs").exists() and NAME != "sinfo":
        time.sleep(600)
    {"sinfo": sinfo, "scontrol": scontrol, "sbatch": sbatch, "squeue": squeue, "scancel": scancel, "srun": srun, "salloc": salloc}[NAME](sys.argv[1:])
