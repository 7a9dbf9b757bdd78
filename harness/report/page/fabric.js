// The page of nodes that were measured together: which pairs are slow.

/// A pair's result, for the line below the map.
function describePair(fabric, size, set, one, other) {
  const name = cut(one, 60) + " with " + cut(other, 60);
  if (one === other) return name + ": a node alone is measured by its own runs";
  if (!set) return name + ": not measured";
  if (set.change === undefined) return name + ": failed";
  const best = fabric.better === "lower" ? Math.min(...set.values) : Math.max(...set.values);
  const worse = percent(Math.abs(set.change)) + (set.change > 0 ? " worse" : " better") + " than " + quantity(size.reference, fabric.unit);
  const rest = set.unexplained !== undefined && set.unexplained > fabric.tolerance ? "; " + percent(set.unexplained) + " of it is not its nodes'" : "";
  return name + ": " + quantity(best, fabric.unit) + ", " + worse + rest;
}

/// The pairs of one size as a node-by-node map.
function pairsMap(fabric, size) {
  const count = fabric.nodes.length, place = new Map(fabric.nodes.map((node, index) => [node.node, index]));
  const sets = new Map();
  for (const set of fabric.sets)
    if (set.nodes.length === 2 && set.ranks === size.ranks) {
      const [one, other] = set.nodes.map(name => place.get(name));
      sets.set(one * count + other, set);
      sets.set(other * count + one, set);
    }
  const nodes = fabric.nodes.map(node => ({state: node.state, label: node.node, short: cut(node.node, 80)}));
  const said = element("output", {class: "count", "aria-live": "polite"});
  const say = (n, m) => said.textContent = m < 0 ? nodes[n].short + ": " + nodes[n].state : describePair(fabric, size, sets.get(n * count + m), fabric.nodes[n].node, fabric.nodes[m].node);
  const map = new HeatMap({
    nodes, metrics: fabric.nodes.map(() => ({class: "measured with"})), across: "partners", tolerance: () => fabric.tolerance,
    change: (n, m) => {
      const set = sets.get(n * count + m);
      return !set ? NaN : set.change === undefined ? Infinity : set.change;
    },
  }, {open: say, point: say, sort: () => {}});
  const all = nodes.map((_, index) => index);
  queueMicrotask(() => map.show(all, all));
  map.node.setAttribute("aria-label", "Heat map of pairs of nodes. Arrow keys move.");
  return [map.node, said];
}

function fabricSection(fabric) {
  const foundLines = fabric.findings.map(found => element("li", {}, badge(found.finding), " ", foreign(found.nodes.slice(0, 8).join(", "), 300), ": ", foreign(found.reason, 1500)));
  const pairs = fabric.sizes.filter(size => size.nodes === 2 && size.reference !== undefined);
  const table = sortedTable([
    {title: "node", key: node => node.node, text: node => foreign(node.node, 120)},
    {title: "verdict", key: node => node.state, text: node => badge(node.state)},
    {title: "its own part", number: true, first: "down", key: node => node.slowness, text: node => signed(node.slowness)},
    {title: "sets", number: true, key: node => node.sets, text: node => String(node.sets)},
  ], fabric.nodes, "Nodes of " + cut(fabric.metric, 100), {by: 2, down: true, most: 200});
  return section("Between nodes: " + cut(fabric.metric, 100),
    element("p", {class: "legend"}, foreign(fabric.description, 300), fabric.description ? ". " : "",
      fabric.sizes.map(size => size.sets + (size.sets === 1 ? " set of " : " sets of ") + size.nodes + " nodes" + (size.reference === undefined ? ", not compared" : ", held against " + quantity(size.reference, fabric.unit))).join("; "),
      "; tolerance " + percent(fabric.tolerance) + "."),
    foundLines.length ? element("ul", {}, ...foundLines) : null,
    ...pairs.flatMap(size => pairsMap(fabric, size)), table.node,
    fabric.measure_again.length ? element("details", {}, element("summary", {}, "What would tell, measured together"), list(fabric.measure_again.map(nodes => nodes.join(", ")))) : null,
    fabric.remarks.length ? list(fabric.remarks) : null);
}
