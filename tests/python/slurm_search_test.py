#!/usr/bin/env python3
"""The search for a slow node or path, with a made fabric in place of the collective; the real command judges the pairs.

$GPUGAUGE names the command; the judgement alone is tested in tests/unit/judge/fabric_test.cpp.
"""
import math
import os
import pathlib
import random
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts" / "slurm"))

import judge  # noqa: E402  pylint: disable=wrong-import-position
import search  # noqa: E402  pylint: disable=wrong-import-position

FULL = 400e9
JUDGE = judge.Judge


class Fabric:
    """Nodes and paths with a speed each; a collective over a set runs at the slowest part of it."""

    def __init__(self, count, slow_nodes=(), slow_paths=(), dead=(), noise=0.01, seed=1, all_at=1.0, shared=()):
        self.nodes = [f"n{i:03}" for i in range(count)]
        self.slow_nodes, self.dead, self.all_at = dict(slow_nodes), set(dead), all_at
        self.slow_paths = {search.pair(*nodes): share for nodes, share in dict(slow_paths).items()}
        self.shared = set(shared)  # slow only with all of these
        self.noise, self.random = noise, random.Random(seed)
        self.calls = []

    def measure(self, sets):
        taken = [node for nodes in sets for node in nodes]
        assert len(taken) == len(set(taken)), "a node is in two measurements at a time"
        self.calls += sets
        return [self.one(nodes) for nodes in sets]

    def one(self, nodes):
        gone = sorted(self.dead & set(nodes))
        if gone:
            return search.Measurement(nodes, None, f"rank 1 of 2 did not come ({gone[0]})")
        share = min([self.slow_nodes.get(node, 1) for node in nodes])
        share = min([share] + [part for (a, b), part in self.slow_paths.items() if a in nodes and b in nodes])
        if self.shared and self.shared <= set(nodes):
            share = min(share, 0.3)
        return search.Measurement(nodes, FULL * share * self.all_at * math.exp(self.random.gauss(0, self.noise)), "")

    def search(self, **rules):
        wanted = search.RULES._replace(**rules)
        with tempfile.TemporaryDirectory(prefix="gpugauge-search-") as folder:
            judged_by = JUDGE(os.environ.get("GPUGAUGE"), os.path.join(folder, "pairs.fabric"), "nccl/all_reduce/256MiB", "busbw", wanted)
            out = search.search(self.nodes, self.measure, judged_by, wanted)
        assert len(self.calls) == len(out.measurements) <= search.bound(len(self.nodes)), (len(self.calls), search.bound(len(self.nodes)))
        return out


def named(outcome, *kinds):
    return sorted(found.nodes for found in outcome.findings if found.kind in kinds)


class Pairing(unittest.TestCase):
    """Waves of pairs."""

    def test_waves_are_disjoint_and_no_pair_comes_twice(self):
        for count in range(2, 40):
            nodes = [f"n{i:02}" for i in range(count)]
            waves = search.pairings(nodes, count, 7)
            pairs = [pair for wave in waves for pair in wave]
            self.assertEqual(len(pairs), len(set(pairs)))
            self.assertEqual(len(pairs), count * (count - 1) // 2, "with enough waves every pair")
            for wave in waves:
                taken = [node for pair in wave for node in pair]
                self.assertEqual(len(taken), len(set(taken)))

    def test_the_seed_decides(self):
        nodes = [f"n{i}" for i in range(9)]
        self.assertEqual(search.pairings(nodes, 2, 3), search.pairings(nodes, 2, 3))
        self.assertNotEqual(search.pairings(nodes, 2, 3), search.pairings(nodes, 2, 4))


@unittest.skipUnless(os.environ.get("GPUGAUGE"), "$GPUGAUGE does not name the command")
class Searching(unittest.TestCase):
    """Who is named, and who is not."""

    SIZES = (3, 4, 5, 8, 9, 16, 31, 64, 200)

    def test_a_healthy_fabric_has_no_finding_in_any_of_200_seeds(self):
        for seed in range(200):
            out = Fabric(4 + seed % 30, noise=0.02, seed=seed).search(seed=seed)
            self.assertEqual(out.findings, [], seed)
            self.assertTrue(out.judged)

    def test_one_slow_node(self):
        for count in self.SIZES:
            for seed in range(10):
                guilty = f"n{seed * 7 % count:03}"
                out = Fabric(count, {guilty: 0.6}, seed=seed).search(seed=seed)
                self.assertEqual(named(out, "slow_node"), [(guilty,)], (count, seed))
                self.assertEqual(len(out.findings), 1, out.findings)

    def test_a_node_just_below_the_tolerance_and_one_just_within(self):
        self.assertEqual(named(Fabric(16, {"n003": 0.85}, noise=0.005).search(), "slow_node"), [("n003",)])
        self.assertEqual(Fabric(16, {"n003": 0.95}, noise=0.005).search().findings, [])

    def test_two_slow_nodes_also_when_they_are_paired(self):
        for count in self.SIZES[2:]:
            for seed in range(20):
                one, other = random.Random(seed).sample(range(count), 2)
                guilty = {f"n{one:03}": 0.5, f"n{other:03}": 0.7}
                out = Fabric(count, guilty, seed=seed).search(seed=seed)
                self.assertEqual(named(out, "slow_node"), [(node,) for node in sorted(guilty)], (count, seed))
                self.assertEqual(len(out.findings), 2, out.findings)

    def test_a_third_of_the_nodes_slow(self):
        for seed in range(30):
            guilty = {f"n{i:03}": 0.6 for i in random.Random(seed).sample(range(12), 4)}
            out = Fabric(12, guilty, seed=seed).search(seed=seed)
            self.assertEqual(named(out, "slow_node"), [(node,) for node in sorted(guilty)], seed)

    def test_a_slow_path_is_named_as_both_ends_and_neither_node(self):
        for seed in range(30):
            one, other = random.Random(seed).sample(range(8), 2)
            ends = search.pair(f"n{one:03}", f"n{other:03}")
            out = Fabric(8, slow_paths={ends: 0.3}, seed=seed).search(seed=seed, waves=7)
            self.assertEqual([(found.kind, found.nodes) for found in out.findings], [("slow_path", ends)], seed)
            self.assertIn("fast with others", out.findings[0].sentence)

    def test_a_slow_path_that_no_pair_met_is_found_by_halving_when_all_together_are_slow(self):
        for count in (8, 33, 128):
            for seed in range(20):
                one, other = random.Random(seed).sample(range(count), 2)
                ends = search.pair(f"n{one:03}", f"n{other:03}")
                out = Fabric(count, slow_paths={ends: 0.3}, seed=seed).search(seed=seed, waves=1)
                self.assertEqual(named(out, "slow_path"), [ends], (count, seed))

    def test_what_is_slow_only_together_is_named_as_a_set(self):
        out = Fabric(32, shared=("n004", "n017", "n030")).search()
        self.assertEqual(named(out, "together"), [("n004", "n017", "n030")])
        self.assertIn("slow only together", out.findings[0].sentence)

    def test_everything_slow_is_blind_without_an_expected_value_and_said_with_one(self):
        self.assertEqual(Fabric(16, all_at=0.4).search().findings, [])
        out = Fabric(16, all_at=0.4).search(expected=FULL)
        self.assertEqual([found.kind for found in out.findings], ["everything"])
        self.assertEqual(len(out.findings[0].nodes), 16)

    def test_a_slow_node_against_an_expected_value(self):
        out = Fabric(16, {"n005": 0.5}).search(expected=FULL)
        self.assertEqual(named(out, "slow_node"), [("n005",)])
        self.assertEqual(len(out.findings), 1)

    def test_a_node_that_never_comes(self):
        for count in self.SIZES:
            for seed in range(10):
                out = Fabric(count, dead=["n001"], seed=seed).search(seed=seed)
                self.assertEqual(named(out, "failed_node"), [("n001",)], (count, seed))
                self.assertEqual(len(out.findings), 1, out.findings)
                self.assertIn("did not come (n001)", out.findings[0].sentence)
                if count > 3:
                    self.assertTrue(any("all nodes without n001" in remark for remark in out.remarks))

    def test_a_dead_and_a_slow_node(self):
        out = Fabric(16, {"n009": 0.5}, dead=["n002"]).search()
        self.assertEqual(named(out, "failed_node"), [("n002",)])
        self.assertEqual(named(out, "slow_node"), [("n009",)])

    def test_nothing_could_be_measured(self):
        fabric = Fabric(8)
        fabric.dead = set(fabric.nodes)
        out = fabric.search()
        self.assertFalse(out.judged)
        self.assertEqual(out.findings, [])
        self.assertIn("no pair could be measured", out.remarks[0])

    def test_two_nodes_cannot_be_told_apart(self):
        self.assertFalse(Fabric(2, {"n000": 0.5}).search().judged)
        out = Fabric(2, {"n000": 0.5}).search(expected=FULL)
        self.assertEqual(named(out, "slow_path"), [("n000", "n001")])
        self.assertIn("cannot be told whether", out.findings[0].sentence)
        self.assertEqual(Fabric(2).search(expected=FULL).findings, [])
        self.assertFalse(Fabric(1).search().judged)

    def test_a_pair_that_is_slow_once_is_no_finding(self):
        class Hiccup(Fabric):
            """One pair is slow the first time it is measured."""
            def one(self, nodes):
                made = super().one(nodes)
                if len(nodes) == 2 and not hasattr(self, "done"):
                    self.done = nodes
                    return made._replace(value=made.value / 3)
                return made
        fabric = Hiccup(8)
        out = fabric.search()
        self.assertEqual(out.findings, [])
        self.assertIn("slow once and fast when measured again", out.remarks[0])

    def test_the_number_of_measurements_is_bounded_and_may_be_lowered(self):
        for count in self.SIZES:
            for seed in range(5):
                fabric = Fabric(count, {"n000": 0.5, "n002": 0.4}, slow_paths={("n001", f"n{count - 1:03}"): 0.3}, noise=0.08, seed=seed)
                fabric.search(seed=seed)  # search() above holds it against the bound
        self.assertLess(search.bound(200), 200 * 7)
        fabric = Fabric(16, {"n005": 0.5, "n006": 0.5})
        out = fabric.search(most=9, waves=1)
        self.assertEqual(len(fabric.calls), 9)
        self.assertFalse(out.judged)
        self.assertTrue(any("ran out" in remark for remark in out.remarks))


if __name__ == "__main__":
    unittest.main()
