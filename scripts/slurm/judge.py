"""What `gpugauge fleet` says of pairs of nodes: the one place that judges them, here and from run files."""
import json
import subprocess

import launch
import search

KINDS = {"slow node": "slow_node", "node that fails": "failed_node", "slow path": "slow_path", "everything is slow": "everything",
         "undecided": "undecided"}
SECONDS = 120  # thousands of pairs take one


class Judge:
    """Takes all measurements of pairs made so far and gives search.Judged. `command`: gpugauge; `file`: where they are written,
    schema docs/schema/fabric.schema.json; `benchmark` and `metric`: what was measured, a bandwidth."""

    def __init__(self, command, file, benchmark, metric, rules):
        self.command, self.file, self.benchmark, self.metric, self.rules = command, file, benchmark, metric, rules

    def __call__(self, measurements):
        self.write(measurements)
        try:
            done = subprocess.run([self.command, "fleet", self.file, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  universal_newlines=True, errors="replace", timeout=SECONDS, check=False)
        except OSError as error:
            raise launch.SlurmError(f"{self.command} could not be started: {error.strerror}")
        except subprocess.TimeoutExpired:
            raise launch.SlurmError(f"{self.command} fleet gave no answer within {SECONDS} s")
        if done.returncode not in (0, 1, 3):
            raise launch.SlurmError(f"{self.command} fleet ended with {done.returncode}: {launch.last_line(done.stderr)}")
        try:
            found = json.loads(done.stdout)["fabrics"][0]
            references = [size["reference"] for size in found["sizes"] if size["nodes"] == 2 and "reference" in size]
            return search.Judged(found["judged"], references[0] if references else None,
                                 [search.Finding(KINDS[one["finding"]], tuple(one["nodes"]), one["reason"]) for one in found["findings"]],
                                 found["remarks"], [tuple(nodes) for nodes in found["measure_again"]])
        except (ValueError, KeyError, IndexError, TypeError):
            raise launch.SlurmError(f"{self.command} fleet did not judge the pairs: is it another version than this script?")

    def write(self, measurements):
        """The list that the command reads."""
        made = [{"nodes": sorted(one.nodes), **({"value": one.value} if one.value is not None else {"reason": one.reason or "no word why"})}
                for one in measurements]
        text = {"schema": "gpugauge.fabric/1", "benchmark": self.benchmark, "metric": self.metric, "unit": "byte/second",
                "better": "higher", "class": "coll_large", "tolerance": self.rules.tolerance}
        if self.rules.expected is not None:
            text["expected"] = self.rules.expected
        text["measurements"] = made
        launch.write_whole(self.file, lambda file: json.dump(text, file, indent=1))
