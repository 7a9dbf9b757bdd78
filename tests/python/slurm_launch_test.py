#!/usr/bin/env python3
"""How long scripts/slurm lets a job wait and run, with a made clock and made answers of Slurm. The rest: tests/scripts/slurm*.bats."""
import pathlib
import sys
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts" / "slurm"))

import launch  # noqa: E402  pylint: disable=wrong-import-position

MINUTES, WAIT = 45, 7200
RUNS = 60 * MINUTES + launch.SLURM_SECONDS


class Deadlines(unittest.TestCase):
    def setUp(self):
        self.now = 0.0
        self.jobs = launch.Jobs([], MINUTES, WAIT)
        self.jobs.jobs[0] = "100"
        self.deadlines = {0: (WAIT, None)}
        for patch in (mock.patch.object(launch.time, "monotonic", lambda: self.now), mock.patch.object(launch, "ask", lambda *_: "")):
            patch.start()
            self.addCleanup(patch.stop)

    def ended_at(self, now, state):
        """Why the job is ended then, or None."""
        self.now = now
        end = self.jobs.overdue(0, (state, "why"), self.deadlines)
        return end and end.reason

    def test_a_job_may_run_from_when_it_was_first_seen_to(self):
        self.assertIsNone(self.ended_at(7000, "PENDING"))
        self.assertIsNone(self.ended_at(7100, "RUNNING"))
        self.assertIsNone(self.ended_at(7100 + RUNS, "COMPLETING"))
        self.assertIn("was completing for too long", self.ended_at(7101 + RUNS, "COMPLETING"))

    def test_a_job_may_wait_as_long_as_asked_for(self):
        self.assertIsNone(self.ended_at(WAIT, "PENDING"))
        self.assertIn("was pending for too long", self.ended_at(WAIT + 1, "PENDING"))

    def test_a_controller_that_did_not_answer_while_a_job_waited_takes_nothing_of_its_time_to_run(self):
        self.assertIsNone(self.ended_at(10, "unknown"))
        self.assertIsNone(self.ended_at(20, "PENDING"))
        self.assertIsNone(self.ended_at(7000, "RUNNING"))
        self.assertIsNone(self.ended_at(7000 + RUNS, "RUNNING"))

    def test_a_controller_that_never_answers_again_is_not_waited_for(self):
        self.assertIsNone(self.ended_at(WAIT + RUNS, "unknown"))
        self.assertIn("was unknown for too long", self.ended_at(WAIT + RUNS + 1, "unknown"))

    def test_nor_is_one_that_is_gone_once_the_job_ran(self):
        self.assertIsNone(self.ended_at(100, "RUNNING"))
        self.assertIn("was unknown for too long", self.ended_at(101 + RUNS, "unknown"))


if __name__ == "__main__":
    unittest.main()
