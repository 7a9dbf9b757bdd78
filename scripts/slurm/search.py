"""Which node or link of a fabric is slow: the search alone, without Slurm, files or clocks.

Every measurement is one collective over a set of nodes and gives one bandwidth, higher is better, or a reason why there is
none. One number tells that somebody in the set is slow, and not who. So nodes are measured in disjoint pairs, each node with
several partners; who is slow with every partner is guilty, while a pair whose both nodes are fast elsewhere is a slow path
between them. Pairs are held against each other: what is slow everywhere shows only against an expected value.
"""
import math
import random
from collections import namedtuple

# nodes: tuple of names; value: bandwidth, or None with the reason why there is none.
Measurement = namedtuple("Measurement", "nodes value reason")

# tolerance: a pair is slow below (1 - tolerance) x reference.
# expected: what every measurement should reach, or None.
# scale_loss: without expected, all nodes together are slow below this share of the pairs' reference. A choice, not a
#   measurement: what a healthy fabric loses between 2 and many nodes is not known here.
# waves: partners a node is first measured with. most: measurements at most, or None for bound(). seed: of the pairing.
Rules = namedtuple("Rules", "tolerance expected scale_loss waves most seed")
RULES = Rules(0.10, None, 0.5, 3, None, 1)

# kind: slow_node, failed_node, slow_path, everything, together, undecided. nodes: who. sentence: what was seen.
Finding = namedtuple("Finding", "kind nodes sentence")
# everyone: the measurement of all nodes; reference: of the pairs, or None; judged: whether "nothing found" may be said.
Outcome = namedtuple("Outcome", "findings remarks measurements everyone reference judged")

PARTNERS = 2  # a node is guilty when it is slow with so many partners that are fast with others
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


def reference_of(values, tolerance):
    """(reference, remark): the upper quartile of the pairs, the best where the quartile itself is slow against it."""
    ranked = sorted(values)
    if not ranked:
        return None, ""
    quartile = ranked[max(0, math.ceil(0.75 * len(ranked)) - 1)]
    if quartile >= (1 - tolerance) * ranked[-1]:
        return quartile, ""
    return ranked[-1], "more than a quarter of the pairs are slow against the fastest one, which is the reference"


class Search:
    """One search; run() does it. `measure` takes a list of disjoint node sets and gives a Measurement each, in order."""

    def __init__(self, nodes, measure, rules=RULES):
        self.nodes = sorted(nodes)
        self.measure_wave = measure
        self.rules = rules
        self.left = rules.most if rules.most is not None else bound(len(self.nodes), rules)
        self.reference = None
        self.made = []
        self.pairs = {}  # pair -> its measurements
        self.findings, self.remarks = [], []

    def measure(self, sets):
        """As many of the sets as may still be measured, in order."""
        sets = sets[:self.left]
        self.left -= len(sets)
        out = self.measure_wave(sets) if sets else []
        self.made += out
        for one in out:
            if len(one.nodes) == 2:
                self.pairs.setdefault(pair(*one.nodes), []).append(one)
        return out

    def slow(self, one, share=None):
        """Whether a measurement failed or is below what it is held against."""
        against = self.rules.expected if self.rules.expected is not None else self.reference
        return one.value is None or one.value < (1 - self.rules.tolerance if share is None else share) * against

    def slow_at_scale(self, one):
        return self.slow(one, None if self.rules.expected is not None else self.rules.scale_loss)

    def bad_pair(self, nodes):
        return self.slow(self.pairs[nodes][-1])

    def partners(self, node):
        return {other for nodes in self.pairs if node in nodes for other in nodes if other != node}

    def cleared(self):
        """Nodes that were fast with somebody: a slow node never is."""
        return {node for nodes in self.pairs if any(not self.slow(one) for one in self.pairs[nodes]) for node in nodes}

    def convicting(self, node, cleared):
        """Partners that are fast elsewhere and slow with this node."""
        return sorted(other for other in self.partners(node) if other in cleared and self.bad_pair(pair(node, other)))

    def next_wave(self):
        """What would tell more: nodes not cleared with a further partner that is, slow pairs of cleared nodes once more."""
        cleared, busy, wave = self.cleared(), set(), []
        clean = sorted(cleared, key=lambda node: (len(self.convicting(node, cleared)), len(self.partners(node)), node))
        for node in self.nodes:
            if node in cleared or node in busy or len(self.convicting(node, cleared)) >= PARTNERS:
                continue
            known = self.partners(node)
            other = next((one for one in clean if one not in busy and one not in known), None)
            if other is not None:
                wave.append(pair(node, other))
                busy |= {node, other}
        for nodes in sorted(self.pairs):
            once = len(self.pairs[nodes]) == 1 and self.bad_pair(nodes)
            if once and set(nodes) <= cleared and not busy & set(nodes):
                wave.append(nodes)
                busy |= set(nodes)
        return wave

    def run(self):
        """Outcome of the whole search."""
        everyone = self.measure([tuple(self.nodes)])[0] if len(self.nodes) > 1 and self.left > 0 else None
        if len(self.nodes) > 2:
            for wave in pairings(self.nodes, self.rules.waves, self.rules.seed):
                self.measure(wave)
        elif everyone is not None:
            self.pairs[everyone.nodes] = [everyone]
        values = [one.value for made in self.pairs.values() for one in made if one.value is not None]
        self.reference, remark = reference_of(values, self.rules.tolerance)
        if remark and self.rules.expected is None:
            self.remarks.append(remark)
        judged = self.judge_pairs(bool(values))
        if judged and everyone is not None and len(self.nodes) > 2:
            self.judge_scale(everyone)
        if self.left <= 0 and self.next_wave():
            self.remarks.append("the number of measurements ran out before all was told")
            judged = False
        return Outcome(self.findings, self.remarks, self.made, everyone, self.reference, judged)

    def judge_pairs(self, any_value):
        """Findings from pairs; False when they cannot tell anything."""
        expected = self.rules.expected
        if not any_value:
            if self.pairs:
                first = next(iter(self.pairs.values()))[0]
                self.remarks.append(f"no pair could be measured; {' and '.join(first.nodes)}: {first.reason}")
            return False
        if len(self.nodes) < 3:
            return self.judge_one_pair()
        if not self.cleared():
            best = max(one.value for made in self.pairs.values() for one in made if one.value is not None)
            self.findings.append(Finding("everything", tuple(self.nodes),
                                         f"no pair reaches the expected {rate(expected)}; the best has {rate(best)}: what all nodes "
                                         "have in common is slow, and no node can be told from the others"))
            return True
        while self.left > 0:
            wave = self.next_wave()
            if not wave:
                break
            self.measure(wave)
        self.conclude()
        return True

    def judge_one_pair(self):
        one = next(iter(self.pairs.values()))[0]
        if self.rules.expected is None:
            self.remarks.append("one pair has nothing to be compared with: give what it should reach")
            return False
        if self.slow(one):
            self.findings.append(Finding("slow_path", one.nodes, f"{self.said(one)}, expected {rate(self.rules.expected)}; with two "
                                         "nodes alone it cannot be told whether one of them or the path between them is slow"))
        return True

    def said(self, one):
        return rate(one.value) if one.value is not None else f"failed ({one.reason})"

    def conclude(self):
        """Turns what the pairs showed into findings."""
        cleared = self.cleared()
        against = self.rules.expected if self.rules.expected is not None else self.reference
        paths = {}
        for node in self.nodes:
            if node in cleared:
                continue
            convicting = self.convicting(node, cleared)
            seen = [self.pairs[pair(node, other)][-1] for other in convicting]
            told = ", ".join(f"{other} {self.said(one)}" for other, one in zip(convicting, seen))
            if len(convicting) >= PARTNERS:
                kind = "failed_node" if all(one.value is None for one in seen) else "slow_node"
                what = "fails with every partner" if kind == "failed_node" else "is slow with every partner"
                self.findings.append(Finding(kind, (node,), f"{what} ({told}), and they are fast with others (reference {rate(against)})"))
            else:
                told = told or "no partner that is fast elsewhere"
                self.findings.append(Finding("undecided", (node,), f"was not fast with anybody ({told}): too few partners to tell"))
        for nodes, made in sorted(self.pairs.items()):
            if not set(nodes) <= cleared or not any(self.slow(one) for one in made):
                continue
            values = ", ".join(self.said(one) for one in made)
            if len(made) > 1 and all(self.slow(one) for one in made):
                for node in nodes:
                    paths.setdefault(node, []).append(nodes)
                self.findings.append(Finding("slow_path", nodes, f"slow each time ({values}; reference {rate(against)}), and each is fast "
                                             "with others: the path between them"))
            elif len(made) > 1:
                self.remarks.append(f"{' and '.join(nodes)} were slow once and fast when measured again ({values})")
            else:
                self.findings.append(Finding("undecided", nodes, f"slow once ({values}) and not measured again"))
        for node, found in sorted(paths.items()):
            if len(found) > 1:
                self.findings.append(Finding("undecided", (node,), f"is an end of {len(found)} slow paths, and fast with others: it may "
                                             "come and go, or stand behind a slow part of the fabric"))

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
            self.remarks.append(f"all nodes without {', '.join(sorted(guilty))}: {self.said(everyone)}")
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
        self.findings.append(Finding(kind, smallest.nodes, f"{self.said(smallest)} ({against}), the smallest slow set found of "
                                     f"{len(nodes)} nodes; {what}"))


def rate(value):
    """A bandwidth for people."""
    return f"{value / 1e9:.3g} GB/s"


def search(nodes, measure, rules=RULES):
    """Searches among `nodes`; see Search and Outcome."""
    return Search(nodes, measure, rules).run()
