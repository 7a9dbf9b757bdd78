// The page of a fleet: which nodes differ from the others, and in which metrics.

const stateOrder = {found: 0, unread: 1, "not judged": 2, suspect: 3, healthy: 4};

/// The ending that all names share, from a slash on, such as "/round-1". It tells nothing, so it can be removed.
function commonEnd(names) {
  if (names.length < 2) return "";
  const first = names[0];
  for (let at = first.indexOf("/"); at >= 0; at = first.indexOf("/", at + 1))
    if (names.every(name => name.endsWith(first.slice(at)) && name.length > first.length - at)) return first.slice(at);
  return "";
}

/// The change of every node in every metric against its group's median; + is worse.
function fleetModel(data) {
  const count = data.metrics.length;
  const changes = new Float32Array(data.nodes.length * count).fill(NaN);
  const end = commonEnd(data.nodes.map(node => node.label)).length;
  data.nodes.forEach((node, n) => {
    node.index = n;
    node.shown = cut(node.label, 80);
    node.short = cut(node.label.slice(0, node.label.length - end), 80);
    node.worst = null;
    if (node.group === null) return;
    const centres = data.groups[node.group].centres;
    node.values.forEach((value, m) => {
      if (value === null || !centres[m]) return;
      const change = (value - centres[m]) / centres[m] * (data.metrics[m].better === "higher" ? -1 : 1);
      changes[n * count + m] = change;
    });
    for (const verdict of node.verdicts)
      if (verdict.change !== undefined && (node.worst === null || verdict.change > node.worst)) node.worst = verdict.change;
  });
  return {nodes: data.nodes, metrics: data.metrics, groups: data.groups,
    change: (node, metric) => changes[node * count + metric], tolerance: metric => data.metrics[metric].tolerance || .05};
}

/// The change of the metric that the table names for a node: its first verdict's.
function changeOf(node) {
  return node.verdicts.length ? node.verdicts[0].change : null;
}

function describeCell(model, n, m) {
  const node = model.nodes[n];
  if (m < 0) return node.shown + ": " + node.state;
  const metric = model.metrics[m], value = node.values[m];
  const change = model.change(n, m);
  if (value === null || value === undefined) return node.shown + ", " + cut(metric.key, 100) + ": not measured";
  return node.shown + ", " + cut(metric.key, 100) + ": " + quantity(value, metric.unit) + ", " + (Math.abs(change) < .0005 ? "same as" : percent(Math.abs(change)) + (change > 0 ? " worse than" : " better than")) + " the median of its kind";
}

function nodeDetail(model, n, metric, close) {
  const node = model.nodes[n];
  const heading = element("h2", {tabindex: "-1"}, foreign(node.label, 200), " ", badge(node.state));
  const parts = [heading,
    element("p", {class: "legend"}, node.runs + (node.runs === 1 ? " run" : " runs") + (node.device ? ", device " : ""), foreign(node.device || "", 120),
      node.again ? ". A further run of this node would decide something." : "."),
    node.reason ? element("p", {}, foreign(node.reason, 2000)) : null];
  const said = node.verdicts.map(verdict => element("li", {}, badge(verdict.verdict, verdict.advisory), " ", foreign(verdict.metric, 200), ": ", foreign(verdict.reason, 1500)));
  const first = 5;
  if (said.length)
    parts.push(section("What stands out", element("ul", {}, ...said.slice(0, first)),
      said.length > first ? element("details", {}, element("summary", {}, "and " + (said.length - first) + " more"), element("ul", {}, ...said.slice(first))) : null));
  parts.push(findings(node.findings, node.diagnosis, [], {excluded: [], unproven: []}));
  if (node.group !== null) {
    const group = model.groups[node.group];
    parts.push(element("p", {class: "legend"}, "Compared with ", foreign(group.counted, 80), ": ", foreign(group.description, 600)));
    const rows = model.metrics.map((form, m) => ({form, m, value: node.values[m], change: model.change(n, m)})).filter(row => row.value !== null);
    const table = sortedTable([
      {title: "metric", key: row => row.form.key, text: row => element("button", {type: "button", class: "open", "aria-expanded": "false"}, foreign(row.form.key, 120))},
      {title: "class", key: row => row.form.class, text: row => foreign(row.form.class)},
      {title: "this node", number: true, text: row => quantity(row.value, row.form.unit)},
      {title: "median of nodes", number: true, text: row => quantity(group.centres[row.m], row.form.unit)},
      {title: "change", number: true, first: "down", key: row => row.change, text: row => signed(row.change)},
    ], rows, "Metrics of " + node.shown, {by: 4, down: true, draw: (row, columns) => {
      const line = drawRow(row, columns);
      const detail = element("tr", {class: "detail", hidden: true}, element("td", {colspan: columns.length}));
      const button = line.querySelector("button");
      const open = () => {
        detail.hidden = !detail.hidden;
        button.setAttribute("aria-expanded", String(!detail.hidden));
        if (!detail.firstChild.firstChild) detail.firstChild.append(distribution(model, node, row));
      };
      button.addEventListener("click", open);
      if (row.m === metric) queueMicrotask(open);
      return [line, detail];
    }});
    parts.push(section("Every metric", table.node));
  }
  parts.push(element("p", {}, element("button", {type: "button", onclick: close}, "Back to the nodes")));
  return {node: element("section", {class: "node", id: "node"}, ...parts.filter(Boolean)), heading};
}

/// This node among the others of its kind.
function distribution(model, node, row) {
  const others = model.nodes.filter(other => other !== node && other.group === node.group && other.values[row.m] !== null).map(other => other.values[row.m]);
  const centre = model.groups[node.group].centres[row.m], step = model.tolerance(row.m);
  return dotChart([{label: others.length + (others.length === 1 ? " other node" : " other nodes"), points: others, faint: true, small: true}, {label: cut(node.label, 30), points: [row.value], tone: "now"}],
    row.form.unit, {low: centre * (1 - step), high: centre * (1 + step), centre},
    {label: "This node: " + quantity(row.value, row.form.unit) + "; median of the others: " + quantity(centre, row.form.unit)});
}

function legendOfHeat() {
  const step = (name, text) => element("span", {class: "key"}, element("span", {class: "swatch " + name}), text);
  return element("p", {class: "legend keys"}, step("better", "three tolerances better"), step("same", "like the median of its kind"), step("worse", "three tolerances worse"), step("absent", "not measured"));
}

function fleetPage(data) {
  const model = fleetModel(data);
  const filter = {text: "", state: "", group: "", metric: "", class: "", sort: "state", order: "class"};
  let byMetric = -1;
  const said = element("output", {class: "count", "aria-live": "polite"});
  const counted = element("output", {class: "count", "aria-live": "polite"});
  const place = element("div");
  const close = () => {
    place.replaceChildren();
    heat.node.focus();
  };
  const open = (n, m) => {
    const detail = nodeDetail(model, n, m, close);
    place.replaceChildren(detail.node);
    detail.heading.scrollIntoView({block: "start"});
    detail.heading.focus({preventScroll: true});
  };
  const sortSelect = choice([["state", "what was found"], ["worst", "worst change"], ["label", "name"], ["metric", "the chosen metric"]], event => {
    filter.sort = event.target.value;
    refresh();
  });
  const heat = new HeatMap(model, {
    open, point: (n, m) => said.textContent = describeCell(model, n, m),
    sort: m => {
      byMetric = m;
      filter.sort = sortSelect.value = "metric";
      refresh();
      said.textContent = "sorted by " + cut(model.metrics[m].key, 100);
    },
  });
  const all = model.metrics.map((_, m) => m);
  const largest = new Float32Array(model.metrics.length);
  model.nodes.forEach((node, n) => all.forEach(m => {
    const change = model.change(n, m) / model.tolerance(m);
    if (change > largest[m]) largest[m] = change;
  }));
  const nodeFits = node => (!filter.text || node.label.toLowerCase().includes(filter.text)) && (!filter.state || (filter.state === "stands out" ? node.state !== "healthy" : node.state === filter.state)) &&
    (filter.group === "" || String(node.group) === filter.group);
  const worstOf = node => {
    if (node.worst !== null) return node.worst;
    let worst = -Infinity;
    for (const m of all) {
      const change = model.change(node.index, m);
      if (change > worst) worst = change;
    }
    return worst;
  };
  const refresh = () => {
    const rows = model.nodes.filter(nodeFits);
    if (filter.sort === "worst") rows.sort((a, b) => worstOf(b) - worstOf(a));
    if (filter.sort === "label") rows.sort((a, b) => a.label < b.label ? -1 : 1);
    if (filter.sort === "metric" && byMetric >= 0) {
      const key = node => {
        const change = model.change(node.index, byMetric);
        return Number.isNaN(change) ? Infinity : change;  // nodes that did not measure it come first
      };
      rows.sort((a, b) => key(b) - key(a) || 0);
    }
    const columns = all.filter(m => (!filter.class || model.metrics[m].class === filter.class) && (!filter.metric || model.metrics[m].key.toLowerCase().includes(filter.metric)));
    const byKey = (a, b) => model.metrics[a].key < model.metrics[b].key ? -1 : 1;
    if (filter.order === "class") columns.sort((a, b) => model.metrics[a].class === model.metrics[b].class ? byKey(a, b) : model.metrics[a].class < model.metrics[b].class ? -1 : 1);
    else columns.sort((a, b) => largest[b] - largest[a]);
    heat.show(rows.map(node => node.index), columns);
    counted.textContent = rows.length + " of " + model.nodes.length + " nodes, " + columns.length + " of " + all.length + " metrics";
    table.draw();
  };
  const table = sortedTable([
    {title: "node", key: node => node.label, text: node => element("button", {type: "button", class: "open", onclick: () => open(node.index, -1)}, foreign(node.label, 120))},
    {title: "verdict", key: node => stateOrder[node.state], text: node => badge(node.state)},
    {title: "change", number: true, first: "down", key: changeOf, text: node => signed(changeOf(node))},
    {title: "what", text: node => foreign(node.verdicts.length ? node.verdicts[0].metric + (node.verdicts.length > 1 ? " and " + (node.verdicts.length - 1) + " more" : "") : node.reason, 200)},
    {title: "runs", number: true, key: node => node.runs, text: node => String(node.runs)},
  ], model.nodes, "Nodes", {by: 1, filter: nodeFits, most: 200});
  const field = (name, label) => {
    const input = element("input", {type: "search", autocomplete: "off", class: "search-" + name});
    input.addEventListener("input", settled(() => {
      filter[name] = input.value.trim().toLowerCase();
      refresh();
    }));
    return control(label, input);
  };
  const pick = (name, label, options) => control(label, choice(options, event => {
    filter[name] = event.target.value;
    refresh();
  }));
  const states = [...new Set(model.nodes.map(node => node.state))].sort((a, b) => stateOrder[a] - stateOrder[b]);
  const classes = [...new Set(model.metrics.map(metric => metric.class))].sort();
  const controls = element("form", {class: "controls", onsubmit: event => event.preventDefault()},
    field("text", "Node contains"),
    pick("state", "Verdict", [["", "all"], ["stands out", "not healthy"], ...states.map(state => [state, state])]),
    model.groups.length > 1 ? pick("group", "Kind", [["", "all"], ...model.groups.map((group, g) => [String(g), cut(group.description, 60)])]) : null,
    control("Nodes by", sortSelect),
    field("metric", "Metric contains"),
    pick("class", "Class", [["", "all"], ...classes.map(word => [word, word])]),
    pick("order", "Metrics by", [["class", "class"], ["largest", "largest change"]]), counted);
  queueMicrotask(refresh);
  return [banner("fleet", data.outcome),
    data.nodes.length ? section("Nodes and metrics", controls, heat.node, said, legendOfHeat()) : null, place,
    data.nodes.length ? section("Nodes", table.node, model.nodes.length > 200 ? element("p", {class: "legend"}, "At most 200 rows are shown; the fields above narrow them.") : null) : null,
    ...data.fabrics.map(fabricSection),
    data.groups.length ? section("Kinds of nodes", list(data.groups.map(group => group.counted + ": " + group.description + ": " + (group.judged ? group.metrics + (group.metrics === 1 ? " metric" : " metrics") + " compared" : "not compared")))) : null,
    data.drift.length ? section("What differs between nodes", list(data.drift)) : null,
    data.remarks.length ? section("What to know", list(data.remarks)) : null,
    data.not_compared.length ? section("Not compared", list(data.not_compared, 6)) : null];
}
