#!/usr/bin/env python3
"""The soak's bounds on memory and descriptors: what the runs take passes, what is lost beside them does not; and its words."""

import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "faults"))

import soak  # noqa: E402

ROUNDS = 90
RUN_KIB = 11.0


def resident(lost, looks=8):
    """KiB of a command that grows to its size in the first rounds, keeps every run, and loses so much a round."""
    return [
        16000 + min(300, 30 * number) + (soak.IN_MEMORY * RUN_KIB + lost) * number
        for number in range(ROUNDS)
        for _ in range(looks)
    ]


class LostARound(unittest.TestCase):
    def test_what_the_runs_take_is_not_lost(self):
        self.assertLess(abs(soak.lost_a_round(resident(0), ROUNDS * RUN_KIB, ROUNDS)), 1)

    def test_eight_kib_a_round_are_found(self):
        lost = soak.lost_a_round(resident(8), ROUNDS * RUN_KIB, ROUNDS)
        self.assertAlmostEqual(lost, 8, delta=1)
        self.assertGreater(lost, soak.LOST_MOST)

    def test_few_rounds_say_nothing(self):
        self.assertEqual(soak.lost_a_round(resident(80), ROUNDS * RUN_KIB, 20), 0)


class LostDescriptors(unittest.TestCase):
    def test_one_a_round_is_found_in_ten_rounds(self):
        lost = soak.lost_descriptors([11 + number for number in range(10)])
        self.assertEqual(lost, 7)
        self.assertGreater(lost, soak.MORE_DESCRIPTORS)

    def test_one_in_ten_rounds_is_found_in_a_hundred(self):
        self.assertGreater(soak.lost_descriptors([11 + number // 10 for number in range(100)]), soak.MORE_DESCRIPTORS)

    def test_a_round_that_had_some_more_open_is_no_loss(self):
        self.assertEqual(soak.lost_descriptors([11, 14, 11, 11, 11, 11, 11, 11, 14, 11]), 0)

    def test_too_few_counts_say_nothing(self):
        self.assertEqual(soak.lost_descriptors([11, 30]), 0)


class Arguments(unittest.TestCase):
    def soak(self, *words):
        return subprocess.run([sys.executable, "-B", soak.__file__, *words], capture_output=True, text=True, check=False)

    def test_help_is_no_build(self):
        self.assertEqual((self.soak("--help").returncode, self.soak("--help").stderr), (0, ""))

    def test_what_cannot_be_run_is_said_in_one_line(self):
        for words, said in ((["/"], "it has no bin/gpugauge"), (["/", "0"], "RUNS is 1 or more"), (["/", "many"], "invalid int value")):
            answer = self.soak(*words)
            self.assertEqual(answer.returncode, 2)
            self.assertIn(said, answer.stderr.splitlines()[-1])
            self.assertNotIn("Traceback", answer.stderr)


if __name__ == "__main__":
    unittest.main()
