// Charts, drawn with uPlot when first opened, and again when the colours or the width change.

/// The width of an axis of values: "640 TFLOP/s" and its tick.
const valueAxis = 88;

/// Groups of points side by side, over a band. groups: [{label, points: [..], faint}], band: {low, high, centre}.
function dotChart(groups, unit, band, options = {}) {
  const box = element("div", {class: "chart", role: "img", "aria-label": options.label || "chart"});
  const names = groups.map(group => group.label);
  const make = () => {
    const width = Math.max(240, box.clientWidth || 600);
    const xs = [], series = groups.map(() => []);
    groups.forEach((group, g) => group.points.forEach((value, i) => {
      // Spread the points over the group's column in the order of time.
      xs.push(g + .15 + .7 * (i + .5) / group.points.length);
      groups.forEach((_, other) => series[other].push(other === g ? value : null));
    }));
    const all = groups.flatMap(group => group.points).concat(band ? [band.low, band.high] : []).filter(Number.isFinite);
    let low = Math.min(...all), high = Math.max(...all);
    const margin = (high - low || Math.abs(high) || 1) * .08;
    low -= margin;
    high += margin;
    const [text, grid] = [colour("ink"), colour("line")];
    const axis = {stroke: text, grid: {stroke: grid, width: 1}, ticks: {stroke: grid, width: 1}, font: "12px system-ui, sans-serif"};
    const plot = new uPlot({
      width, height: options.height || 220,
      legend: {show: false},
      cursor: {show: false},
      scales: {x: {time: false, range: () => [0, groups.length]}, y: {range: () => [low, high]}},
      axes: [
        {...axis, size: 30, grid: {show: false}, ticks: {show: false}, splits: () => groups.map((_, g) => g + .5), values: () => names},
        {...axis, size: valueAxis, values: (_, splits) => splits.map(value => quantity(value, unit))},
      ],
      series: [{}].concat(groups.map(group => {
        const stroke = colour(group.faint ? "faint" : group.tone || "now");
        return {stroke, paths: () => null, points: {show: true, size: group.small ? 3 : 7, stroke, fill: stroke, width: 0}};
      })),
      hooks: {drawClear: [chart => {
        if (!band) return;
        const {left, width: span} = chart.bbox;
        const y = value => chart.valToPos(value, "y", true);
        chart.ctx.save();
        chart.ctx.fillStyle = colour("band");
        chart.ctx.fillRect(left, Math.min(y(band.low), y(band.high)), span, Math.abs(y(band.low) - y(band.high)));
        if (band.centre !== undefined) {
          chart.ctx.strokeStyle = colour("faint");
          chart.ctx.setLineDash([6, 4]);
          chart.ctx.beginPath();
          chart.ctx.moveTo(left, y(band.centre));
          chart.ctx.lineTo(left + span, y(band.centre));
          chart.ctx.stroke();
        }
        chart.ctx.restore();
      }]},
    }, [xs].concat(series));
    box.replaceChildren(plot.root);
  };
  return drawnWhenSeen(box, make);
}

/// A value over time; points: [[started, value, changed], ...], oldest first. Vertical lines mark changes. options:
/// {band: {low, high, centre}, levels: [{from, to, value}], marks: [{at, tone}], alarm: index}; all positions are indices into points.
function trendChart(points, unit, label, options = {}) {
  const box = element("div", {class: "chart", role: "img", "aria-label": label});
  const make = () => {
    const xs = points.map(point => Date.parse(point[0]) / 1000);
    const ys = points.map(point => point[1]);
    const [text, grid, line] = [colour("ink"), colour("line"), colour("now")];
    const marks = options.marks ? [...options.marks] : points.map((point, at) => ({at, tone: point[2] ? "doubt" : ""})).filter(mark => mark.tone);
    if (options.alarm !== undefined) marks.push({at: options.alarm, tone: "doubt", short: true});
    const all = ys.concat(options.band ? [options.band.low, options.band.high] : []);
    const [low, high] = [Math.min(...all), Math.max(...all)];
    const margin = (high - low || Math.abs(high) || 1) * .08;
    const axis = {stroke: text, grid: {stroke: grid, width: 1}, ticks: {stroke: grid, width: 1}, font: "12px system-ui, sans-serif"};
    const plot = new uPlot({
      width: Math.max(240, box.clientWidth || 600), height: 200,
      legend: {show: false}, cursor: {show: false},
      // Days are in UTC, like the runs' times, wherever the page is read.
      tzDate: second => uPlot.tzDate(new Date(second * 1000), "Etc/UTC"),
      scales: {x: {time: true}, y: {range: () => [low - margin, high + margin]}},
      axes: [
        {...axis, space: 95, values: (_, splits, at, space, step) => splits.map(second => new Date(second * 1000).toISOString().slice(...(step < 86400 ? [5, 16] : [0, 10])).replace("T", " "))},
        {...axis, size: valueAxis, values: (_, splits) => splits.map(value => quantity(value, unit))},
      ],
      series: [{}, {stroke: line, width: 1.5, points: {show: true, size: 4, fill: line}}],
      hooks: {drawClear: [chart => {
        const {left, top, width, height} = chart.bbox;
        const x = at => chart.valToPos(xs[at], "x", true), y = value => chart.valToPos(value, "y", true);
        const stroke = (tone, dash, from, to, size = 1) => {
          chart.ctx.strokeStyle = colour(tone);
          chart.ctx.lineWidth = size;
          chart.ctx.setLineDash(dash);
          chart.ctx.beginPath();
          chart.ctx.moveTo(...from);
          chart.ctx.lineTo(...to);
          chart.ctx.stroke();
        };
        chart.ctx.save();
        if (options.band) {
          chart.ctx.fillStyle = colour("band");
          chart.ctx.fillRect(left, Math.min(y(options.band.low), y(options.band.high)), width, Math.abs(y(options.band.low) - y(options.band.high)));
        }
        for (const level of options.levels || []) stroke("ink", [], [x(level.from), y(level.value)], [x(level.to), y(level.value)], 2);
        for (const mark of marks) stroke(mark.tone, mark.short ? [2, 2] : [4, 3], [x(mark.at), mark.short ? top + height * .8 : top], [x(mark.at), top + height], mark.short ? 3 : 1.5);
        chart.ctx.restore();
      }]},
    }, [xs, ys]);
    box.replaceChildren(plot.root);
  };
  const changes = points.filter(point => point[2]);
  return element("div", {}, drawnWhenSeen(box, make),
    changes.length ? list(changes.map(point => point[0].slice(0, 10) + ": " + point[2])) : null);
}

/// Draws once the box is laid out, and again when its width or the colours change.
function drawnWhenSeen(box, make) {
  let width = 0;
  const draw = () => {
    if (box.isConnected && box.clientWidth > 0) make();
  };
  new ResizeObserver(() => {
    if (box.clientWidth === width) return;
    width = box.clientWidth;
    draw();
  }).observe(box);
  repaints.add(draw);
  return box;
}
