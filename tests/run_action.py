#!/usr/bin/env python3
"""Runs a composite GitHub action's shell steps as a runner does: its inputs, its conditions, a file for each step's outputs.

Usage: run_action.py ACTION.yml [INPUT=VALUE]...

Steps that use another action are not run: each becomes a line of JSON in ./used with its name and what it was given; a program
./uses/NAME (such as download-artifact) is run in its place, with what it was given as its argument. The event's fields come from
variables that are named like them (GITHUB_EVENT_PULL_REQUEST_...). Summaries go to ./summary.STEP. Ends with 0 where every step did, else with the code of the last step that failed; what that step printed
is on standard output as it came.
"""
import json
import os
import pathlib
import re
import subprocess
import sys

import yaml

EXPRESSION = re.compile(r"\$\{\{(.*?)\}\}", re.S)
REFERENCE = re.compile(r"'[^']*'|[a-z][\w-]*(?:\.[\w-]+)+")
CONTEXT = {"runner.name": "runner-7", "github.run_id": "42", "github.run_attempt": "1", "github.token": "a-token"}


class Runner:
    def __init__(self, action, given):
        self.steps = action["runs"]["steps"]
        self.outputs = {}
        self.failed = False
        unknown = set(given) - set(action["inputs"])
        if unknown:
            sys.exit(f"no such input: {unknown}")
        self.inputs = {name: given.get(name, self.text(str(one["default"]))) for name, one in action["inputs"].items()}

    def value(self, reference):
        parts = reference.split(".")
        if parts[0] == "inputs":
            return self.inputs[parts[1]]
        if parts[0] == "steps" and parts[2] == "outputs":
            if parts[1] not in {step.get("id") for step in self.steps}:
                sys.exit(f"no step has the id of {reference}")
            return self.outputs.get(parts[1], {}).get(parts[3], "")
        if reference.startswith("github.event."):
            return os.environ.get(reference.upper().replace(".", "_"), "")
        return CONTEXT[reference]

    def text(self, template):
        return EXPRESSION.sub(lambda match: self.value(match.group(1).strip()), template)

    def wanted(self, condition):
        """Without always() a step is left out once one has failed."""
        condition = EXPRESSION.sub(lambda match: match.group(1), str(condition))
        if self.failed and "always()" not in condition:
            return False
        python = REFERENCE.sub(lambda m: m.group(0) if m.group(0)[0] == "'" else repr(self.value(m.group(0))), condition)
        python = python.replace("always()", "True").replace("success()", "True").replace("&&", " and ").replace("||", " or ")
        return bool(eval(python, {"__builtins__": {}}))  # the condition is the project's own

    def run(self, step, number):
        if "uses" in step:
            with open("used", "a") as used:
                given = {name: self.text(str(one)) for name, one in step["with"].items()}
                used.write(json.dumps({"name": step["name"], "uses": step["uses"], "with": given}) + "\n")
            program = pathlib.Path("uses", step["uses"].split("@")[0].split("/")[-1]).resolve()
            return subprocess.run([program, json.dumps(given)], check=False).returncode if program.is_file() else 0
        assert step["shell"] == "bash"
        name = step.get("id", str(number))
        output = pathlib.Path(f"output.{name}").resolve()
        output.write_text("")
        script = pathlib.Path(f"step.{name}.sh").resolve()
        script.write_text(step["run"])
        environment = {variable: self.text(str(one)) for variable, one in step.get("env", {}).items()}
        files = {"GITHUB_OUTPUT": str(output), "GITHUB_STEP_SUMMARY": str(pathlib.Path(f"summary.{name}").resolve())}
        pathlib.Path(files["GITHUB_STEP_SUMMARY"]).write_text("")
        code = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", script], env=os.environ | environment | files,
                              check=False).returncode
        self.outputs[name] = dict(line.split("=", 1) for line in output.read_text().splitlines())
        return code

    def run_all(self):
        last = 0
        for number, step in enumerate(self.steps):
            if not self.wanted(step.get("if", "success()")):
                continue
            code = self.run(step, number)
            if code != 0 and not step.get("continue-on-error"):
                self.failed, last = True, code
        return last


if __name__ == "__main__":
    sys.exit(Runner(yaml.safe_load(open(sys.argv[1])), dict(word.split("=", 1) for word in sys.argv[2:])).run_all())
