// Helpers shared by all parts of the page. Foreign text becomes text nodes, never markup.

/// element("td", {class: "number"}, "text", node, ...): strings become text. Put foreign text in <bdi>.
function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== undefined && value !== null && value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.filter(child => child !== null && child !== undefined && child !== ""));
  return made;
}

/// Foreign text: shows control characters as U+FFFD, isolates its direction, and cuts long text (its tooltip shows up to 4000 characters).
function foreign(text, most = 400) {
  const shown = String(text).replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, "\ufffd");
  const long = shown.length > most;
  const cut = long ? shown.slice(0, Math.ceil(most * 2 / 3)) + " ... " + shown.slice(-Math.floor(most / 3)) : shown;
  return element("bdi", long ? {title: shown.slice(0, 4000)} : {}, cut);
}

function cut(text, most) {
  const shown = foreign(text, most).textContent;
  return shown;
}

const symbols = {"second": "s", "byte/second": "B/s", "flop/second": "FLOP/s", "operation/second": "op/s", "hertz": "Hz", "byte": "B", "watt": "W"};
const prefixes = [[1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "\u00b5"], [1e-9, "n"], [1e-12, "p"]];

/// Three significant digits, as on the console.
function digits(value) {
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size >= 99.95) return value.toFixed(0);
  if (size >= 9.995) return value.toFixed(1);
  if (size >= .0995) return value.toFixed(2);
  return value.toPrecision(3);
}

function quantity(value, unit) {
  if (value === null || value === undefined) return "";
  if (unit === "1" || !unit) return digits(value);
  const symbol = symbols[unit];
  if (!symbol) return digits(value) + " " + unit;
  const [factor, prefix] = prefixes.find(([least]) => Math.abs(value) >= least * .9995) || prefixes[prefixes.length - 1];
  return digits(value / factor) + "\u202f" + prefix + symbol;
}

function percent(share) {
  if (share === null || share === undefined) return "";
  const value = share * 100;
  return value.toFixed(Math.abs(value) >= 99.95 ? 0 : 1) + "%";
}

function signed(change) {
  if (change === null || change === undefined) return "";
  return (change < 0 ? "\u2212" : "+") + percent(Math.abs(change));
}

function median(values) {
  const sorted = values.slice().sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/// "bad", "doubt", "good" or "plain": the tone of a verdict, a node's state or an outcome.
function toneOf(word, advisory) {
  if (["regressed", "failed", "missing", "found", "finding", "error", "worse", "slow", "fails", "slow node", "node that fails", "slow path", "everything is slow"].includes(word)) return advisory ? "doubt" : "bad";
  if (["inconclusive", "unstable", "suspect", "unread", "not judged", "cannot judge", "undecided", "pass so far"].includes(word)) return "doubt";
  if (["ok", "improved", "healthy", "pass", "better", "fine"].includes(word)) return "good";
  return "plain";
}

const marks = {bad: "\u2716", doubt: "?", good: "\u2713", plain: "\u2022"};

/// Never uses colour alone: adds a mark and the word.
function badge(word, advisory) {
  const tone = toneOf(word, advisory);
  return element("span", {class: "badge " + tone}, marks[tone] + " " + word + (advisory ? ", advisory" : ""));
}

function section(title, ...children) {
  return element("section", {}, element("h2", {}, title), ...children.filter(Boolean));
}

/// `host`: name of the node, "" where none is known.
function banner(title, outcome, host = "") {
  document.title = "GPUGauge: " + outcome.word + " (" + title + (host && " of " + cut(host, 100)) + ")";
  return element("header", {class: "banner " + toneOf(outcome.word)},
    element("p", {class: "what"}, "GPUGauge " + title + (host && " of "), host && foreign(host, 200)),
    element("h1", {}, marks[toneOf(outcome.word)] + " " + outcome.word),
    element("p", {}, foreign(outcome.sentence, 2000)));
}

function list(lines, most = 12) {
  const items = lines.slice(0, most).map(line => element("li", {}, foreign(line, 1500)));
  const box = element("ul", {}, ...items);
  if (lines.length <= most) return box;
  const rest = element("ul", {}, ...lines.slice(most).map(line => element("li", {}, foreign(line, 1500))));
  return element("div", {}, box, element("details", {}, element("summary", {}, "and " + (lines.length - most) + " more"), rest));
}

/// The causes found; without any, the diagnosis's sentence on why. After them the excluded and unproven causes that no finding lists.
function findings(found, sentence, needed, others) {
  const folded = (title, lines) => lines.length ? element("details", {}, element("summary", {}, title), list(lines)) : null;
  const rest = [folded("Excluded", others.excluded), folded("Not proven", others.unproven)].filter(Boolean);
  if (!found.length && !sentence && !rest.length) return null;
  return section("Cause", sentence ? element("p", {}, foreign(sentence, 1500)) : null,
    needed && needed.length ? element("details", {}, element("summary", {}, "What would tell"), list(needed)) : null, ...found.map(one => element("article", {class: "finding"},
    element("h3", {}, foreign(one.cause), " ",
      element("span", {class: "badge " + (one.confident ? "bad" : "doubt")}, one.score === null ? "by the doctor" : one.score.toFixed(2) + (one.confident ? " confident" : " likely, not proven"))),
    one.title ? element("p", {}, foreign(one.title)) : null,
    element("h4", {}, "Seen"), list(one.evidence, 6),
    one.doubt ? element("p", {}, "Doubt: ", foreign(one.doubt)) : null,
    one.excluded.length ? element("details", {}, element("summary", {}, "What it is not"), list(one.excluded.map(other => other.cause + ": " + other.why))) : null,
    one.unproven.length ? element("details", {}, element("summary", {}, "Not proven"), list(one.unproven.map(other => other.cause + ": " + other.why))) : null,
    one.next.length ? element("h4", {}, "Next") : null, one.next.length ? list(one.next, 3) : null)), ...rest);
}

/// A table whose headings sort. columns: {title, number, text(row) -> node or string, key(row) -> value, first: "up"|"down"}.
function sortedTable(columns, rows, caption, options = {}) {
  const body = element("tbody");
  const heads = [];
  let by = options.by === undefined ? -1 : options.by, down = options.down || false;
  const draw = () => {
    const shown = rows.filter(options.filter || (() => true));
    if (by >= 0) {
      const key = columns[by].key;
      // Rows without a value come last in either direction.
      shown.sort((a, b) => {
        const x = key(a), y = key(b);
        if (x === null || x === undefined) return y === null || y === undefined ? 0 : 1;
        if (y === null || y === undefined) return -1;
        return (x < y ? -1 : x > y ? 1 : 0) * (down ? -1 : 1);
      });
    }
    const most = options.most || 1000;
    body.replaceChildren(...shown.slice(0, most).flatMap(row => options.draw ? options.draw(row, columns) : [drawRow(row, columns)]));
    heads.forEach((head, i) => head.setAttribute("aria-sort", i !== by ? "none" : down ? "descending" : "ascending"));
    if (options.drawn) options.drawn(shown.length, Math.min(most, shown.length));
  };
  const head = element("tr", {}, ...columns.map((column, i) => {
    const cell = element("th", {scope: "col", class: column.number ? "number" : null},
      column.key ? element("button", {type: "button", onclick: () => {
        down = by === i ? !down : column.first === "down";
        by = i;
        draw();
      }}, column.title) : column.title);
    heads.push(cell);
    return cell;
  }));
  const table = element("table", {}, element("caption", {}, caption), element("thead", {}, head), body);
  draw();
  return {node: element("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": caption}, table), draw};
}

function drawRow(row, columns) {
  return element("tr", {}, ...columns.map(column => element("td", {class: column.number ? "number" : null}, column.text(row))));
}

/// A labelled control: control("Search", input).
function control(label, input) {
  return element("label", {class: "control"}, element("span", {}, label), input);
}

function choice(options, onchange) {
  return element("select", {onchange}, ...options.map(([value, text]) => element("option", {value}, text)));
}

/// Runs the action once the input has paused.
function settled(action, milliseconds = 120) {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(action, milliseconds);
  };
}

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}

/// Functions called when the colour scheme changes or the page is printed: a canvas must then be drawn again.
const repaints = new Set();
function repaint() {
  for (const draw of repaints) draw();
}
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);

/// Paper is white and does not scroll. While a page is printed its root has the class "printing", which selects the light colours,
/// because the media is still the screen at beforeprint. Scrolling parts add a complete copy beside them, in class "strips".
const forPaper = new Set();
addEventListener("beforeprint", () => {
  document.documentElement.classList.add("printing");
  repaint();
  for (const put of forPaper) put();
});
addEventListener("afterprint", () => {
  document.documentElement.classList.remove("printing");
  for (const strip of document.querySelectorAll(".strips")) strip.remove();
  repaint();
});
