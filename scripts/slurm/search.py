"""Which node or path of a fabric is slow: what to measure next, without Slurm, files or clocks.

Every measurement is one collective over a set of nodes and gives one bandwidth, higher is better, or a reason why there is
none. One number tells that somebody in the set is slow, and not who. So nodes are measured in disjoint pairs, each node with
several partners. Who is guilty is not decided here: `gpugauge fleet` judges the pairs, and names what would tell more
(harness/judge/fabric.hpp). This goes on until nothing is asked for, and then looks at all nodes together.
"""
import math
import random
from collections import namedtuple

# nodes: tuple of names; value: bandwidth, or None with the reason why there is none.
Measurement = namedtuple("Measurement", "nodes value reason")

# tolerance: a set is slow below (1 - tolerance) x reference.
# expected: what every measurement should reach, or None.
# scale_loss: without expected, all nodes together are slow below this share of the pairs' reference. A choice, not a
#   measurement: what a healthy fabric loses between 2 and many nodes is not known here.
# waves: partners a node is first measured with. most: measurements at most, or None for bound(). seed: of the pairing.
Rules = namedtuple("Rules", "tolerance expected scale_loss waves most seed")
RULES = Rules(0.10, None, 0.5, 3, None, 1)

# kind: slow_node, failed_node, slow_path, everything, together, undecided. nodes: who. sentence: what was seen.
Finding = namedtuple("Finding", "kind nodes sentence")
# What the judge says of pairs. judged: whether "nothing found" may be said; reference: what pairs are held against, or None;
# again: pairs that would tell more, the most telling first.
Judged = namedtuple("Judged", "judged reference findings remarks again")
# everyone: the measurement of all nodes.
Outcome = namedtuple("Outcome", "findings remarks measurements everyone reference judged")

PARTNERS = 2  # so many further partners the judge asks for at most, for each node
SMALLEST_SET = 4  # a slowness that needs more nodes than this together is not narrowed further


def bound(count, rules=RULES):
    """The most measurements that the search makes for `count` nodes."""
    pairs = waves_of(count, rules.waves) * (count // 2)
    # All of them; the pairs, each perhaps once more; partners for each node; once without the guilty; the narrowing.
    return 1 + 2 * pairs + (PARTNERS + 1) * count + 1 + SMALLEST_SET * (math.ceil(math.log2(max(count, 2))) + 1)


def waves_of(count, wanted):
    """Waves of disjoint pairs: no more than give every pair once."""
    return max(1, min(wanted, count - 1 if count % 2 == 0 else count))


def pairings(nodes, waves, seed):
    """`waves` lists of disjoint pairs; no pair twice. With an odd count one node has a rest each time."""
    order = list(nodes)
    random.Random(seed).shuffle(order)
    if len(order) % 2:
        order.append(None)
    out = []
    for _ in range(waves_of(len(nodes), waves)):
        half = len(order) // 2
        out.append([pair(a, b) for a, b in zip(order[:half], reversed(order[half:])) if a is not None and b is not None])
        order = [order[0], order[-1]] + order[1:-1]  # the first stays, the others go round
    return out


def pair(one, other):
    """Always the same tuple for two nodes."""
    return (one, other) if one < other else (other, one)


def disjoint(pairs):
    """The first of these pairs, no node in two of them: what can be measured at the same time."""
    busy, out = set(), []
    for nodes in pairs:
        if not busy & set(nodes):
            out.append(nodes)
            busy |= set(nodes)
    return out


class Search:
    """One search; run() does it. `measure` takes a list of disjoint node sets and gives a Measurement each, in order; `judge`
    takes the measurements of pairs and gives Judged."""

    def __init__(self, nodes, measure, judge, rules=RULES):
        self.nodes = sorted(nodes)
        self.measure_wave = measure
        self.judge = judge
        self.rules = rules
        self.left = rules.most if rules.most is not None else bound(len(self.nodes), rules)
        self.reference = None
        self.made, self.pairs = [], []
        self.findings, self.remarks = [], []

    def measure(self, sets):
        """As many of the sets as may still be measured, in order."""
        sets = sets[:self.left]
        self.left -= len(sets)
        out = self.measure_wave(sets) if sets else []
        self.made += out
        self.pairs += [one for one in out if len(one.nodes) == 2]
        return out

    def slow_at_scale(self, one):
        """Whether more than two nodes together failed or are below what they are held against."""
        if one.value is None:
            return True
        if self.rules.expected is not None:
            return one.value < (1 - self.rules.tolerance) * self.rules.expected
        return one.value < self.rules.scale_loss * self.reference

    def run(self):
        """Outcome of the whole search."""
        everyone = self.measure([tuple(self.nodes)])[0] if len(self.nodes) > 1 and self.left > 0 else None
        if len(self.nodes) > 2:
            for wave in pairings(self.nodes, self.rules.waves, self.rules.seed):
                self.measure(wave)
        if not self.pairs:
            return Outcome([], ["no pair was measured"], self.made, everyone, None, False)
        seen = self.judge(self.pairs)
        while self.left > 0 and seen.again:
            self.measure(disjoint(seen.again))
            seen = self.judge(self.pairs)
        self.reference, judged = seen.reference, seen.judged
        self.findings += seen.findings
        self.remarks += seen.remarks
        if judged and everyone is not None and len(self.nodes) > 2:
            self.judge_scale(everyone)
        if seen.again:
            self.remarks.append("the number of measurements ran out before all was told")
            judged = False
        return Outcome(self.findings, self.remarks, self.made, everyone, self.reference, judged)

    def judge_scale(self, everyone):
        """All nodes together: without the guilty the rest must be fast; where it is not, the smallest slow set is sought."""
        if any(found.kind == "everything" for found in self.findings):
            return
        guilty = {node for found in self.findings if found.kind in ("slow_node", "failed_node") for node in found.nodes}
        rest = [node for node in self.nodes if node not in guilty]
        if guilty and len(rest) > 1:
            made = self.measure([tuple(rest)])
            if not made:
                return
            everyone = made[0]
            self.remarks.append(f"all nodes without {', '.join(sorted(guilty))}: {said(everyone)}")
        if any(found.kind == "slow_path" for found in self.findings) or len(rest) < 3 or not self.slow_at_scale(everyone):
            return
        self.narrow(rest, everyone)

    def narrow(self, nodes, everyone):
        """The smallest set that is still slow, by halving, where a larger set holds what a smaller one shows."""
        kept, loose, smallest = [], list(nodes), everyone
        while loose and len(kept) < SMALLEST_SET:
            low, high = 0, len(loose)
            while high - low > 1:
                middle = (low + high) // 2
                chosen = tuple(sorted(kept + loose[:middle]))
                if len(chosen) < 2:
                    low = middle
                    continue
                made = self.measure([chosen])
                if not made:
                    break
                if self.slow_at_scale(made[0]):
                    high, smallest = middle, made[0]
                else:
                    low = middle
            kept.append(loose[high - 1])
            loose = loose[:high - 1]
            made = self.measure([tuple(sorted(kept))]) if len(kept) > 1 and set(kept) != set(smallest.nodes) else []
            if made and self.slow_at_scale(made[0]):
                smallest = made[0]
            if set(kept) == set(smallest.nodes):
                break
        against = f"expected {rate(self.rules.expected)}" if self.rules.expected is not None else f"pairs reach {rate(self.reference)}"
        kind = "slow_path" if len(smallest.nodes) == 2 else "together"
        what = ("the path between them: each is fast with others" if kind == "slow_path" else
                "slow only together: a part of the fabric that they share, or the collective at this size")
        self.findings.append(Finding(kind, smallest.nodes, f"{said(smallest)} ({against}), the smallest slow set found of "
                                     f"{len(nodes)} nodes; {what}"))


def rate(value):
    """A bandwidth for people."""
    return f"{value / 1e9:.3g} GB/s"


def said(one):
    """A measurement for people."""
    return rate(one.value) if one.value is not None else f"failed ({one.reason})"


def search(nodes, measure, judge, rules=RULES):
    """Searches among `nodes`; see Search and Outcome."""
    return Search(nodes, measure, judge, rules).run()
