// The page of one check or comparison: devices, their metrics, the stack.

/// The verdict that a row shows: the gravest. figuresOf() gives the one with figures against the baseline, if there is one.
function shownVerdict(metric) {
  return metric.verdicts[0] || null;
}
function figuresOf(metric) {
  const with_baseline = metric.verdicts.filter(verdict => verdict.baseline !== null);
  return with_baseline.find(verdict => verdict.value !== null) || with_baseline[0] || null;
}
const gravity = {failed: 0, missing: 1, regressed: 2, unstable: 3, inconclusive: 4, "new": 5, improved: 6, ok: 7};
function gravityOf(metric) {
  const verdict = shownVerdict(metric);
  if (!verdict) return 9;
  return gravity[verdict.verdict] + (verdict.advisory && verdict.verdict !== "ok" ? 2.5 : 0);
}

/// The band within the baseline's tolerance: a lower edge if higher is better, an upper edge if lower is better.
function bandOf(metric, verdict) {
  if (!verdict || !verdict.baseline || !verdict.tolerance) return null;
  const centre = verdict.baseline, step = verdict.tolerance;
  const [low, high] = metric.better === "higher" ? [centre * (1 - step), centre / (1 - step)] : [centre / (1 + step), centre * (1 + step)];
  return {low, high, centre};
}

function metricDetail(metric) {
  const figures = figuresOf(metric);
  const band = bandOf(metric, figures);
  const parts = metric.verdicts.map(verdict => element("p", {}, badge(verdict.verdict, verdict.advisory), " ", foreign(verdict.judge), " judge: ", foreign(verdict.reason, 2000)));
  if (metric.note) parts.push(element("p", {}, foreign(metric.note)));
  if (metric.now) {
    const groups = [];
    if (metric.then) groups.push({label: "before", points: metric.then.flat(), faint: true});
    metric.now.forEach((values, round) => groups.push({label: metric.now.length > 1 ? "round " + (round + 1) : "now", points: values}));
    parts.push(element("h4", {}, "Processes" + (band ? ", over the band that the tolerance of " + percent(figures.tolerance) + " admits" : "")));
    parts.push(dotChart(groups, metric.unit, band, {label: "One point a process of " + cut(metric.key, 100) + ": " + metric.now.flat().map(value => quantity(value, metric.unit)).join(", ")}));
    if (metric.batches && metric.batches.some(batch => batch.length)) {
      const samples = metric.batches.map((values, i) => ({label: String(i + 1), points: values, small: true}));
      parts.push(element("h4", {}, "Samples of each process" + (metric.now.length > 1 ? " of the first of these rounds" : "") + ", at most 60 of each"));
      if (metric.best_batch != null) {
        const spread = metric.batch_spread != null ? "; the middle half of a process's samples lies within " + percent(metric.batch_spread) : "";
        parts.push(element("p", {}, "Best of all: " + quantity(metric.best_batch, metric.unit) + spread + "."));
      }
      parts.push(dotChart(samples, metric.unit, band, {label: "Timed batches of each process"}));
    }
  }
  if (metric.trend && metric.trend.length) {
    parts.push(element("h4", {}, "Over time"));
    parts.push(trendChart(metric.trend, metric.unit, "Values of " + cut(metric.key, 100) + " over time"));
  }
  return parts;
}

/// A row, and the row below it that it opens.
function metricRows(metric, columns) {
  const row = drawRow(metric, columns);
  const detail = element("tr", {class: "detail", hidden: true}, element("td", {colspan: columns.length}));
  const button = row.querySelector("button");
  button.addEventListener("click", () => {
    const open = detail.hidden;
    detail.hidden = !open;
    button.setAttribute("aria-expanded", String(open));
    if (open && !detail.firstChild.firstChild) detail.firstChild.append(...metricDetail(metric));
  });
  return [row, detail];
}

/// The change against the baseline: a bar from the centre, up to three times the tolerance.
function changeBar(metric) {
  const figures = figuresOf(metric);
  if (!figures || figures.change === null) return "";
  const share = Math.max(-1, Math.min(1, figures.change / (3 * (figures.tolerance || .05))));
  const bar = element("span", {class: "bar " + (share > 1 / 3 ? "bad" : share < -1 / 3 ? "good" : "plain")});
  bar.style.left = (share < 0 ? 50 + 50 * share : 50) + "%";
  bar.style.width = Math.max(2, 50 * Math.abs(share)) + "%";
  return element("span", {class: "track", "aria-hidden": "true"}, bar);
}

function metricTable(device) {
  const compared = device.metrics.some(metric => figuresOf(metric));
  const columns = [
    {title: "metric", key: metric => metric.key, text: metric => element("button", {type: "button", class: "open", "aria-expanded": "false"}, foreign(metric.key, 120))},
    {title: "class", key: metric => metric.class, text: metric => foreign(metric.class || "")},
    {title: "now", number: true, text: metric => quantity(metric.value, metric.unit)},
    compared && {title: "baseline", number: true, text: metric => figuresOf(metric) && typeof metric.value === "number" ? quantity(figuresOf(metric).baseline, metric.unit) : ""},
    compared && {title: "change", number: true, first: "down", key: metric => figuresOf(metric) && figuresOf(metric).change, text: metric => figuresOf(metric) ? signed(figuresOf(metric).change) : ""},
    compared && {title: "better | worse", text: changeBar},
    {title: "range", number: true, first: "down", key: metric => metric.range, text: metric => percent(metric.range)},
    {title: "of limit", number: true, key: metric => shareOf(metric), text: metric => percent(shareOf(metric))},
    {title: "verdict", key: gravityOf, text: metric => shownVerdict(metric) ? badge(shownVerdict(metric).verdict, shownVerdict(metric).advisory) : "measured"},
  ].filter(Boolean);
  const count = element("output", {class: "count", "aria-live": "polite"});
  const filter = {text: "", kind: "", group: ""};
  const table = sortedTable(columns, device.metrics, "Metrics of " + cut(device.label, 80), {
    by: columns.length - 1, draw: metricRows,
    filter: metric => (!filter.text || metric.key.toLowerCase().includes(filter.text)) && (!filter.group || metric.class === filter.group) &&
      (!filter.kind || (shownVerdict(metric) ? shownVerdict(metric).verdict : "measured") === filter.kind),
    drawn: (all, shown) => count.textContent = shown === all ? all + " of " + device.metrics.length + " metrics" : "the first " + shown + " of " + all + " metrics",
  });
  const words = [...new Set(device.metrics.map(metric => shownVerdict(metric) ? shownVerdict(metric).verdict : "measured"))].sort();
  const classes = [...new Set(device.metrics.map(metric => metric.class))].filter(Boolean).sort();
  const search = element("input", {type: "search", autocomplete: "off", class: "search"});
  search.addEventListener("input", settled(() => {
    filter.text = search.value.trim().toLowerCase();
    table.draw();
  }));
  return element("div", {},
    element("form", {class: "controls", onsubmit: event => event.preventDefault()},
      control("Metric contains", search),
      control("Verdict", choice([["", "all"], ...words.map(word => [word, word])], event => {
        filter.kind = event.target.value;
        table.draw();
      })),
      control("Class", choice([["", "all"], ...classes.map(word => [word, word])], event => {
        filter.group = event.target.value;
        table.draw();
      })), count),
    table.node,
    element("p", {class: "legend"}, (device.rounds > 1 ? "Now, change and limit are of the rounds that the verdict rests on, without a baseline of the median over the rounds; range is of the processes of all rounds. " : "Now is the median over the processes. ") + "Change is against the baseline; + is worse. A name opens its samples."));
}

function shareOf(metric) {
  if (metric.share !== undefined && metric.share !== null) return metric.share;
  const physical = metric.verdicts.find(verdict => verdict.share !== null);
  return physical ? physical.share : null;
}

/// What could not be measured. Families that share a reason share a line.
function notMeasured(families) {
  const alike = new Map();
  for (const family of families)
    if (family.reason) alike.set(family.reason, (alike.get(family.reason) || []).concat(family.family + " (" + family.ok + " of " + family.processes + " processes whole)"));
  return [...alike].map(([reason, names]) => names.join(", ") + ": " + reason).concat(families.flatMap(family => family.skipped));
}

/// `alone`: the banner already shows this device's verdict. `only`: there is no other device.
function devicePart(device, alone, only) {
  const missing = notMeasured(device.families);
  return element("div", {class: "device"},
    element("h2", {}, foreign(device.label), " ", alone ? null : badge(device.outcome.word)),
    alone ? null : element("p", {}, foreign(device.outcome.sentence, 2000)),
    element("p", {class: "legend"}, "Profile ", foreign(device.profile), ", ", device.rounds + (device.rounds === 1 ? " round" : " rounds"), ", begun ", foreign(device.started), "."),
    findings(device.findings, device.diagnosis, device.needed, device.others),
    device.remarks.length ? section("What to know", list(device.remarks, 6)) : null,
    missing.length ? section("Not measured", list(missing, 6)) : null,
    overTime(device, only),
    section("Metrics", metricTable(device)));
}

function stackTable(stack) {
  if (!stack.length) return null;
  const rows = stack.map(([layer, version, detail]) => element("tr", {}, element("th", {scope: "row"}, foreign(layer)), element("td", {}, foreign(version)), element("td", {class: "legend"}, foreign(detail))));
  return section("Stack", element("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": "Stack"},
    element("table", {}, element("caption", {}, "The stack as it was loaded"), element("thead", {}, element("tr", {}, ...["layer", "version", "detail"].map(title => element("th", {scope: "col"}, title)))), element("tbody", {}, ...rows))));
}

function checkPage(data) {
  return [banner(data.command, data.outcome, data.host),
    data.gpu_explanation ? section("GPU", element("p", {}, foreign(data.gpu_explanation, 4000))) : null,
    findings(data.findings, "", [], {excluded: [], unproven: []}),
    data.node.length ? section("Node", ...data.node.map(verdict => element("p", {}, badge(verdict.verdict, verdict.advisory), " ", foreign(verdict.reason, 2000)))) : null,
    ...data.devices.map(device => devicePart(device, data.devices.length === 1 && device.outcome.sentence === data.outcome.sentence, data.devices.length === 1)), stackTable(data.stack)];
}

function diagnosisPage(data) {
  return [banner("diagnosis", data.outcome), element("p", {class: "legend"}, foreign(data.source)), findings(data.findings, "", [], data.others),
    data.remarks.length ? section("What would tell", list(data.remarks)) : null,
    data.alike.length ? section("Reads like", list(data.alike)) : null];
}
