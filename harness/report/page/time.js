// The course of a device's rounds: what telemetry saw of its GPU, when which family ran, and benchmarks under a long load.

/// A value of telemetry: shares as percent, temperatures in whole degrees.
function reading(value, unit) {
  if (value === null || value === undefined) return "";
  if (unit === "1") return (value * 100).toFixed(0) + "%";
  if (unit === "celsius") return value.toFixed(0) + "\u202f\u00b0C";
  return quantity(value, unit);
}

/// "lowest 450 MHz, median 1.98 GHz, highest 1.98 GHz": what a chart shows, in words.
function extent(lowest, median, highest, unit) {
  return "lowest " + reading(lowest, unit) + ", median " + reading(median, unit) + ", highest " + reading(highest, unit);
}

/// A range that holds all values with some room. Noise of 0.1% must not look like a mountain.
function roomFor(values) {
  let low = Math.min(...values), high = Math.max(...values);
  const least = .04 * Math.max(Math.abs(low), Math.abs(high)) || 1;
  if (high - low < least) [low, high] = [(low + high - least) / 2, (low + high + least) / 2];
  const margin = (high - low) * .08;
  return [low - margin, high + margin];
}

/// "90 s", "2:30": a time on an axis, by its length.
function clockText(seconds, whole) {
  if (whole < 180) return Math.round(seconds * 10) / 10 + " s";
  const rounded = Math.round(seconds);
  return Math.floor(rounded / 60) + ":" + String(rounded % 60).padStart(2, "0");
}

/// What the charts of one device share: the part of the time that is shown, the family that is marked, and the time of the slider.
class TimeView {
  constructor(data) {
    this.data = data;
    this.whole = data.rounds[data.rounds.length - 1].span[1];
    this.shown = [0, this.whole];
    this.family = null;
    this.at = null;
    this.charts = [];
  }
  /// Draws all charts anew, or only what lies on top of them.
  draw(again) {
    for (const chart of this.charts) chart(again);
  }
  /// The benchmark that runs then, or the family whose process only prepares, checks or ends; "" between two processes.
  running(at) {
    const then = one => one.spans.some(([from, to]) => from <= at && at <= to);
    const family = this.data.families.find(then);
    return family ? (family.benchmarks.find(then) || family).label : "";
  }
}

/// Until the context is restored, nothing is drawn outside of the plot.
function clipped(chart) {
  const {left, top, width, height} = chart.bbox;
  chart.ctx.save();
  chart.ctx.beginPath();
  chart.ctx.rect(left, top, width, height);
  chart.ctx.clip();
}

/// The options of a chart against the time of the view. `y`: its scale and axis; `under(chart)` draws below the
/// lines, `over(chart)` above them.
function timeOptions(view, box, height, y, under, over) {
  const [text, grid] = [colour("ink"), colour("line")];
  const axis = {stroke: text, grid: {stroke: grid, width: 1}, ticks: {stroke: grid, width: 1}, font: "12px system-ui, sans-serif"};
  const line = (chart, at, tone, dash) => {
    const {top, height: tall} = chart.bbox, x = chart.valToPos(at, "x", true);
    chart.ctx.save();
    chart.ctx.strokeStyle = colour(tone);
    chart.ctx.lineWidth = 1.5;
    chart.ctx.setLineDash(dash);
    chart.ctx.beginPath();
    chart.ctx.moveTo(x, top);
    chart.ctx.lineTo(x, top + tall);
    chart.ctx.stroke();
    chart.ctx.restore();
  };
  const seen = at => at > view.shown[0] && at < view.shown[1];
  return {
    width: Math.max(240, box.clientWidth || 600), height,
    legend: {show: false}, cursor: {show: false},
    scales: {x: {time: false, range: () => view.shown}, y: {range: () => y.range}},
    axes: [{...axis, size: 34, space: 60, incrs: [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400], values: (_, splits) => splits.map(value => clockText(value, view.whole))}, {...axis, size: valueAxis, ...y.axis}],
    hooks: {
      drawClear: [chart => {
        const {top, height: tall} = chart.bbox;
        clipped(chart);
        const marked = view.data.families.find(family => family.label === view.family);
        chart.ctx.fillStyle = colour("band");
        for (const [from, to] of marked ? marked.spans : []) chart.ctx.fillRect(chart.valToPos(from, "x", true), top, Math.max(1, chart.valToPos(to, "x", true) - chart.valToPos(from, "x", true)), tall);
        chart.ctx.restore();
      }],
      drawAxes: [chart => {
        if (!under) return;
        clipped(chart);
        under(chart);
        chart.ctx.restore();
      }],
      draw: [chart => {
        for (const round of view.data.rounds.slice(1)) if (seen(round.span[0])) line(chart, round.span[0], "faint", [4, 3]);
        if (view.at !== null && view.at >= view.shown[0] && view.at <= view.shown[1]) line(chart, view.at, "ink", []);
        if (over) over(chart);
      }],
    },
  };
}

/// Puts a chart into its box when it is seen, and into the view, so that it follows the slider. A click or a finger moves the slider.
function timeChart(view, label, make) {
  const box = element("div", {class: "chart", role: "img", "aria-label": label});
  let plot = null;
  const put = () => {
    plot = make(box);
    box.replaceChildren(plot.root);
    const over = plot.root.querySelector(".u-over");
    const point = event => view.choose(plot.posToVal(event.clientX - over.getBoundingClientRect().left, "x"));
    over.addEventListener("pointerdown", point);
    over.addEventListener("pointermove", event => event.buttons && point(event));
  };
  view.charts.push(again => {
    if (!plot || !box.isConnected) return;
    if (again) put();
    else plot.redraw(false, false);
  });
  return drawnWhenSeen(box, put);
}

/// A quantity over time. The limit of the power is a line where the driver tells it.
function quantityPart(view, one) {
  const limits = one.unit === "watt" ? view.data.rounds.filter(round => round.power_limit !== null) : [];
  const known = [...new Set(limits.map(round => reading(round.power_limit, "watt")))];
  const limited = known.length ? "limit " + known.join(", then ") : "";
  const words = extent(one.lowest, one.median, one.highest, one.unit);
  const range = one.unit === "1" ? [-.04, 1.04] : roomFor([one.lowest, one.highest, ...limits.map(round => round.power_limit)]);
  // A line for each round: one line with a gap shows its ends as ticks.
  const lines = [[]];
  for (const [seconds, value] of one.points) {
    if (value === null) lines.push([]);
    else lines[lines.length - 1].push([seconds, value]);
  }
  const xs = lines.flat().map(point => point[0]);
  const ys = lines.map((line, at) => lines.flatMap((other, from) => other.map(point => from === at ? point[1] : null)));
  const limit = chart => {
    chart.ctx.strokeStyle = colour("bad");
    chart.ctx.lineWidth = 1.5;
    chart.ctx.setLineDash([6, 4]);
    for (const round of limits) {
      const y = chart.valToPos(round.power_limit, "y", true);
      chart.ctx.beginPath();
      chart.ctx.moveTo(chart.valToPos(round.span[0], "x", true), y);
      chart.ctx.lineTo(chart.valToPos(round.span[1], "x", true), y);
      chart.ctx.stroke();
    }
  };
  const make = box => new uPlot({
    ...timeOptions(view, box, 170, {range, axis: {values: (_, splits) => splits.map(value => reading(value, one.unit))}}, limit),
    series: [{}, ...lines.map(() => ({stroke: colour("now"), width: 1.5, points: {show: false}}))],
  }, [xs, ...ys]);
  return element("div", {}, element("h4", {}, one.title), element("p", {class: "legend keys"}, words, limited ? element("span", {class: "key"}, element("span", {class: "stroke bad"}), limited) : null),
    timeChart(view, one.title + " over time: " + words + (limited && "; " + limited) + "; " + one.samples + (one.samples === 1 ? " sample" : " samples"), make));
}

/// One lane each: when a family ran, or when a reason was named. lanes: [{label, spans, tone}].
function lanesPart(view, title, words, lanes) {
  const names = lanes.map(lane => cut(lane.label, 14));
  const bars = chart => {
    const {top, height} = chart.bbox, tall = height / lanes.length;
    lanes.forEach((lane, at) => {
      chart.ctx.fillStyle = colour(lane.tone);
      for (const [from, to] of lane.spans) {
        const x = chart.valToPos(from, "x", true);
        chart.ctx.fillRect(x, top + tall * (at + .2), Math.max(1.5, chart.valToPos(to, "x", true) - x - 1), tall * .6);
      }
    });
  };
  const axis = {grid: {show: false}, ticks: {show: false}, size: 110, splits: () => lanes.map((_, at) => lanes.length - at - .5), values: () => names};
  const make = box => new uPlot({...timeOptions(view, box, 52 + 20 * lanes.length, {range: [0, lanes.length], axis}, bars), series: [{}, {show: false}]}, [[0, view.whole], [0, 0]]);
  return element("div", {}, element("h4", {}, title), words ? element("p", {class: "legend"}, words) : null, timeChart(view, title + (words ? ": " + words : ""), make));
}

/// The value of a quantity that was read last before a time, but not long before. `whole`: the time of all its points.
function readAt(one, at, whole) {
  const most = Math.max(3, 4 * whole / one.points.length);
  let found = null;
  for (const [seconds, value] of one.points) {
    if (seconds > at) break;
    found = at - seconds <= most ? value : null;
  }
  return found;
}

/// Which rounds and which family to show, and a slider that reads all charts at one time.
function timeControls(view) {
  const {data} = view;
  const said = element("output", {class: "legend"}, "The slider, or a click into a chart, reads all charts at one time.");
  const slider = element("input", {type: "range", min: "0", max: String(view.whole), step: "0.5", value: "0", class: "slider"});
  const say = () => {
    const values = data.quantities.map(one => [one.title, reading(readAt(one, view.at, view.whole), one.unit)]).filter(([, text]) => text);
    said.replaceChildren("At " + clockText(view.at, view.whole) + ": ", foreign(view.running(view.at) || "between two processes", 100), ...values.map(([title, text]) => "; " + title + " " + text));
    slider.setAttribute("aria-valuetext", said.textContent);
  };
  view.choose = at => {
    view.at = Math.max(view.shown[0], Math.min(view.shown[1], at));
    slider.value = String(view.at);
    say();
    view.draw(false);
  };
  slider.addEventListener("input", () => view.choose(Number(slider.value)));
  const rounds = choice([["", "all rounds"], ...data.rounds.map((round, at) => [String(at), "round " + (at + 1)])], event => {
    view.shown = event.target.value === "" ? [0, view.whole] : data.rounds[Number(event.target.value)].span;
    [slider.min, slider.max] = view.shown.map(String);
    if (view.at !== null) view.choose(view.at);
    view.draw(true);
  });
  const families = choice([["", "none"], ...data.families.map((family, at) => [String(at), cut(family.label, 60)])], event => {
    view.family = event.target.value === "" ? null : data.families[Number(event.target.value)].label;
    view.draw(true);
  });
  return element("div", {},
    element("form", {class: "readings", onsubmit: event => event.preventDefault()},
      data.rounds.length > 1 ? control("Show", rounds) : null, control("Mark a family", families), control("Read at a time", slider)), said);
}

function reasonText(reason) {
  return reason.label + " in " + reason.samples + " of " + reason.of + " samples";
}

function telemetryPart(time) {
  const view = new TimeView(time);
  const controls = timeControls(view);
  const families = lanesPart(view, "Families", "", time.families.map(family => ({...family, tone: "plain"})));
  const reasons = time.reasons.length ? lanesPart(view, "Reasons of the driver for a lower clock", time.reasons.map(reasonText).join("; ") + ".",
    time.reasons.map(reason => ({...reason, tone: reason.fault ? "bad" : "doubt"}))) : null;
  const rounds = time.rounds.length > 1 ? "Rounds stand one behind another, without the time between them" + (time.left_out ? "; " + time.left_out + " more are left out" : "") + "." : "";
  return [rounds ? element("p", {class: "legend"}, rounds) : null, controls, families,
    element("div", {class: "pairs"}, ...time.quantities.map(one => quantityPart(view, one)), reasons)];
}

/// How many seconds a point of a course is.
function secondsOf(course) {
  return Math.max(1, Math.round(course.seconds / course.points.length));
}

/// One value a point of a course, over its time. `spread`: two more, which a band lies between; `ends`: the first and last are named.
function coursePart(course, title, unit, values, spread, ends) {
  const known = values.filter(Number.isFinite), xs = course.points.map(point => point[0]);
  const words = extent(Math.min(...known), median(known), Math.max(...known), unit);
  const range = roomFor([...known, ...spread.flat().filter(Number.isFinite)]);
  const view = new TimeView({rounds: [{span: [0, course.seconds]}], families: []});
  view.choose = () => {};
  // Of a long course a point is several seconds: then its ends are no single seconds.
  const named = secondsOf(course) > 1 ? ["beginning", "end"] : ["first second", "last second"];
  const over = chart => {
    chart.ctx.save();
    chart.ctx.fillStyle = colour("ink");
    chart.ctx.font = Math.round(12 * devicePixelRatio) + "px system-ui, sans-serif";
    for (const [at, word] of ends ? [[0, named[0]], [values.length - 1, named[1]]] : []) {
      const x = chart.valToPos(xs[at], "x", true), y = chart.valToPos(values[at], "y", true);
      chart.ctx.beginPath();
      chart.ctx.arc(x, y, 4 * devicePixelRatio, 0, 2 * Math.PI);
      chart.ctx.fill();
      chart.ctx.textAlign = at ? "right" : "left";
      chart.ctx.fillText(word, x, chart.bbox.top + chart.bbox.height - 6 * devicePixelRatio);
    }
    chart.ctx.restore();
  };
  const make = box => new uPlot({
    ...timeOptions(view, box, 200, {range, axis: {values: (_, splits) => splits.map(value => reading(value, unit))}}, null, over),
    series: [{}, ...spread.map(() => ({stroke: colour("band"), width: 1, points: {show: false}})), {stroke: colour("now"), width: 2, points: {show: false}}],
    bands: spread.length ? [{series: [2, 1], fill: colour("band")}] : [],
  }, [xs, ...spread, values]);
  return element("div", {}, element("h4", {}, title), element("p", {class: "legend"}, words),
    timeChart(view, title + " of " + cut(course.benchmark, 100) + " over its time: " + words, make));
}

/// A benchmark under a long load: its rate by seconds over the span of its batches, and the SM clock beside it.
function sustainedPart(course) {
  const [rates, low, high, clocks] = [1, 2, 3, 4].map(at => course.points.map(point => point[at]));
  const by = secondsOf(course) > 1 ? " by " + secondsOf(course) + " seconds" : " by seconds";
  const some = values => values.some(Number.isFinite);
  const spread = some(low) ? [low, high] : [];
  return element("div", {}, element("h3", {}, foreign(course.benchmark), course.of > 1 ? ", the worst of " + course.of : ""),
    element("p", {}, foreign(course.text, 1000), "."),
    element("div", {class: "pairs"},
      coursePart(course, "Rate" + by + (spread.length ? ", in the band from the slowest to the fastest batch" : ""), course.unit, rates, spread, true),
      some(clocks) ? coursePart(course, "SM clock" + by, "hertz", clocks, [], false) : null));
}

/// The section of a device; null where nothing was seen over time. `open`: its charts are not folded.
function overTime(device, open) {
  if (!device.time && !device.sustained.length) return null;
  return section("Over time", ...device.sustained.map(sustainedPart),
    device.time ? element("details", {open}, element("summary", {}, "Clocks, power and temperature of the GPU"), ...telemetryPart(device.time).filter(Boolean)) : null);
}
