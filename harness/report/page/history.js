// The page of a history: each series with its levels, what changed in the stack, and what the monitor says.

/// The band within the tolerance around the centre, as on the page of a check.
function bandOfSeries(series) {
  return bandOf(series, {baseline: series.centre, tolerance: series.tolerance});
}

function seriesPart(series) {
  const day = at => series.runs[at][0].slice(0, 10);
  const changed = [
    ...series.changes.map(one => ({...one, level: true})),
    ...series.versions.map(one => ({...one, level: false})),
  ].sort((a, b) => a.at - b.at || b.level - a.level);
  // If a level begins where a version changed, one line marks both, in the level's colour.
  const marks = changed.filter(one => one.level || !changed.some(other => other.level && other.at === one.at)).map(one => ({at: one.at, tone: one.level ? (one.worse ? "bad" : "good") : "faint"}));
  const rows = changed.map(one => element("tr", {},
    element("th", {scope: "row"}, day(one.at)),
    element("td", {}, one.level ? badge(one.worse ? "worse" : "better") : badge("version")),
    element("td", {}, foreign(one.text, 600))));
  const runs = series.runs.length;
  return element("div", {class: "device"},
    element("h2", {}, foreign(series.metric)),
    element("p", {class: "legend"}, foreign(series.node ? series.node + ", " + series.device : series.device), ": " + runs + (runs === 1 ? " run" : " runs") + " of profile ", foreign(series.profile),
      ", " + day(0) + " to " + day(runs - 1) + "; centre " + quantity(series.centre, series.unit) + ", " + series.better + " is better."),
    trendChart(series.runs, series.unit, "Values of " + cut(series.metric, 100) + " over time; " + series.changes.length + (series.changes.length === 1 ? " change" : " changes") + " of level",
      {band: bandOfSeries(series), levels: series.levels, marks, alarm: series.alarm}),
    series.last ? element("p", {}, foreign(series.last, 600)) : null,
    element("p", {}, foreign(series.monitor, 800)),
    rows.length ? element("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": "What changed"},
      element("table", {}, element("caption", {}, "What changed, and when"), element("thead", {}, element("tr", {}, ...["first run", "what", "from, to, since"].map(title => element("th", {scope: "col"}, title)))), element("tbody", {}, ...rows)))
      : element("p", {class: "legend"}, "No level and no version of the stack changed."));
}

function legendOfHistory() {
  const key = (name, text) => element("span", {class: "key"}, element("span", {class: "stroke " + name}), text);
  return element("p", {class: "legend keys"}, key("now", "a run"), key("level", "a level"), key("bad", "a level that is worse begins"),
    key("good", "a level that is better begins"), key("faint", "a version in the stack changed"), key("doubt", "the monitor's alarm"), key("band", "what the tolerance around the centre admits"));
}

function historyPage(data) {
  const search = element("input", {type: "search", autocomplete: "off", class: "search"});
  const only = element("select", {}, element("option", {value: ""}, "all series"), element("option", {value: "changed"}, "with a change of level"), element("option", {value: "alarm"}, "with an alarm"), element("option", {value: "last"}, "with last runs off their level"));
  const count = element("output", {class: "count", "aria-live": "polite"});
  const place = element("div");
  const draw = () => {
    const word = search.value.trim().toLowerCase();
    const shown = data.series.filter(series => (!word || (series.metric + " " + series.node + " " + series.device).toLowerCase().includes(word)) &&
      (only.value !== "changed" || series.changes.length) && (only.value !== "alarm" || series.alarm !== undefined) && (only.value !== "last" || series.last !== undefined));
    count.textContent = shown.length + " of " + data.series.length + " series";
    place.replaceChildren(...shown.map(seriesPart));
  };
  search.addEventListener("input", settled(draw));
  only.addEventListener("change", draw);
  draw();
  return [banner("history", data.outcome), legendOfHistory(),
    data.series.length > 1 ? element("form", {class: "controls", onsubmit: event => event.preventDefault()}, control("Metric or node contains", search), control("Show", only), count) : null,
    place];
}
