// A heat map of nodes by metrics on a canvas. Draws only the visible part, so that a thousand nodes scroll smoothly.

/// model: {nodes: [{label}], metrics: [{key, class}], across: the columns' name, change(node, metric) -> number (NaN: not measured), tolerance(metric)}.
/// Rows and columns are indices into them; show(rows, columns) draws the given ones. onOpen(node, metric), onSort(metric), onPoint(text).
class HeatMap {
  constructor(model, handlers) {
    this.model = model;
    this.handlers = handlers;
    this.rows = [];
    this.columns = [];
    this.row = this.column = 0;
    this.canvas = element("canvas", {"aria-hidden": "true"});
    this.size = element("div", {class: "heat-size"});
    this.node = element("div", {class: "heat", tabindex: "0", role: "application",
      "aria-label": "Heat map of nodes and metrics. Arrow keys move, Enter opens the node, S sorts by the metric."}, this.canvas, this.size);
    this.node.addEventListener("scroll", () => this.later());
    this.node.addEventListener("keydown", event => this.key(event));
    this.node.addEventListener("mousemove", event => this.point(event));
    this.node.addEventListener("click", event => this.click(event));
    this.node.addEventListener("focus", () => this.later());
    this.node.addEventListener("blur", () => this.later());
    new ResizeObserver(() => this.layout()).observe(this.node);
    repaints.add(() => this.paint());
    forPaper.add(() => this.node.after(this.strips()));
  }

  show(rows, columns) {
    this.rows = rows;
    this.columns = columns;
    this.row = Math.min(this.row, Math.max(0, rows.length - 1));
    this.column = Math.min(this.column, Math.max(0, columns.length - 1));
    this.node.scrollTop = 0;
    this.layout();
  }

  layout() {
    const width = this.node.clientWidth;
    this.gutter = Math.min(190, Math.max(96, Math.round(width * .2)));
    this.header = 22;
    this.high = matchMedia("(pointer: coarse)").matches ? 24 : 16;
    const room = width - this.gutter;
    this.wide = Math.min(40, Math.max(5, room / Math.max(1, this.columns.length)));
    this.node.style.height = Math.min(.7 * innerHeight, this.header + this.high * Math.max(1, this.rows.length) + 16) + "px";
    this.size.style.width = Math.floor(this.gutter + this.wide * this.columns.length) + "px";
    this.size.style.height = this.header + this.high * this.rows.length + "px";
    this.paint();
  }

  later() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.paint();
    });
  }

  /// Colours from "better than tolerance" over "within" to "worse", in 61 steps.
  ramp() {
    const rgb = name => colour(name).match(/[0-9a-f]{2}/gi).map(part => parseInt(part, 16));
    const cool = rgb("heat-better"), mid = rgb("heat-same"), hot = rgb("heat-worse");
    const steps = [];
    for (let i = -30; i <= 30; ++i) {
      const far = Math.abs(i) / 30, to = i < 0 ? cool : hot;
      steps.push("rgb(" + mid.map((part, k) => Math.round(part + (to[k] - part) * far)).join(",") + ")");
    }
    return steps;
  }

  /// Draws the visible part on the screen's canvas.
  paint() {
    const width = this.node.clientWidth, height = this.node.clientHeight;
    if (!width || !height || !this.high) return;
    const pen = this.sized(this.canvas, width, height, devicePixelRatio || 1);
    this.canvas.style.width = width + "px";
    this.canvas.style.height = height + "px";
    const {gutter, header, high, wide, rows, columns} = this;
    const view = {width, height, gutter, header, high, wide, rows, columns, top: this.node.scrollTop, left: this.node.scrollLeft};
    this.draw(pen, view);
    if (document.activeElement === this.node && rows.length && columns.length) {
      pen.strokeStyle = colour("ink");
      pen.lineWidth = 2;
      pen.strokeRect(gutter + this.column * wide - view.left - 1, header + this.row * high - view.top - 1, wide + 1, high + 1);
    }
  }

  sized(canvas, width, height, scale) {
    if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
      canvas.width = Math.round(width * scale);
      canvas.height = Math.round(height * scale);
    }
    const pen = canvas.getContext("2d");
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    return pen;
  }

  /// Draws cells, names and classes of a view: {rows, columns, width, height, top, left, gutter, header, high, wide}, in pixels of the page.
  draw(pen, view) {
    const {rows, columns, width, height, gutter, header, high, wide, top, left} = view, model = this.model;
    const paper = colour("paper"), ink = colour("ink"), absent = colour("heat-absent");
    const steps = this.ramp();
    pen.fillStyle = paper;
    pen.fillRect(0, 0, width, height);
    const firstRow = Math.floor(top / high), lastRow = Math.min(rows.length, Math.ceil((top + height - header) / high));
    const firstColumn = Math.floor(left / wide), lastColumn = Math.min(columns.length, Math.ceil((left + width - gutter) / wide));
    const gap = wide > 8 ? 1 : 0;
    for (let r = firstRow; r < lastRow; ++r) {
      const node = rows[r], y = header + r * high - top;
      for (let c = firstColumn; c < lastColumn; ++c) {
        const metric = columns[c], change = model.change(node, metric), x = Math.round(gutter + c * wide - left);
        if (Number.isNaN(change)) {
          pen.fillStyle = absent;
          pen.fillRect(x + wide / 2 - 1, y + high / 2 - 1, 2, 2);
          continue;
        }
        const step = Math.max(-30, Math.min(30, Math.round(change / model.tolerance(metric) * 10)));
        pen.fillStyle = steps[step + 30];
        pen.fillRect(x, y, Math.round(gutter + (c + 1) * wide - left) - x - gap, high - 1);
      }
    }
    // Names go on top of cells that scrolled below them.
    pen.fillStyle = paper;
    pen.fillRect(0, 0, gutter, height);
    pen.fillRect(0, 0, width, header);
    pen.font = "11px system-ui, sans-serif";
    pen.textBaseline = "middle";
    for (let r = firstRow; r < lastRow; ++r) {
      const y = header + r * high - top;
      if (y < header - high / 2) continue;
      const node = model.nodes[rows[r]];
      const tone = toneOf(node.state);
      pen.fillStyle = colour(tone === "plain" ? "faint" : tone);
      pen.fillText(marks[tone], 4, y + high / 2);
      pen.fillStyle = ink;
      pen.fillText(this.fit(pen, node.short, gutter - 26), 18, y + high / 2);
    }
    this.drawClasses(pen, view, firstColumn, lastColumn);
  }

  /// Draws each class above its columns, if the word fits.
  drawClasses(pen, view, first, last) {
    const {columns, gutter, header, wide, left} = view, faint = colour("faint");
    let begin = first;
    for (let c = first; c <= last; ++c) {
      const here = c < last ? this.model.metrics[columns[c]].class : null;
      const before = begin < last ? this.model.metrics[columns[begin]].class : null;
      if (here === before) continue;
      const x = Math.max(gutter, gutter + begin * wide - left);
      const room = gutter + c * wide - left - x - 4;
      pen.fillStyle = faint;
      if (begin > first) pen.fillRect(x - 1, 4, 1, header - 6);
      if (room > 24) pen.fillText(this.fit(pen, before, room), x + 3, header / 2);
      begin = c;
    }
  }

  /// The map for paper, which does not scroll: strips of rows in the page's width, each short enough for a page. Strips are
  /// bitmaps; after mostStrips of them the rest is left out, and a sentence says so.
  strips() {
    const rowsOfStrip = 25, columnsOfStrip = 200, mostStrips = 64, width = 1000, header = 22, high = 16, gutter = 190;
    const across = Math.max(1, Math.ceil(this.columns.length / columnsOfStrip));
    const kept = this.rows.slice(0, Math.max(1, Math.floor(mostStrips / across)) * rowsOfStrip);
    const made = [];
    for (let c = 0; c < across; ++c)
      for (let r = 0; r < kept.length; r += rowsOfStrip) {
        const rows = kept.slice(r, r + rowsOfStrip), columns = this.columns.slice(c * columnsOfStrip, (c + 1) * columnsOfStrip);
        const canvas = element("canvas", {"aria-hidden": "true"}), height = header + high * rows.length;
        this.draw(this.sized(canvas, width, height, 1.5), {rows, columns, width, height, gutter, header, high, top: 0, left: 0,
          wide: Math.min(40, (width - gutter) / Math.max(1, columns.length))});
        made.push(canvas);
      }
    const {nodes, metrics, across: what = "metrics"} = this.model;
    const rest = this.rows.length > kept.length ? " (" + this.rows.length + " are chosen on the screen, which is more than is printed)" : "";
    return element("div", {class: "strips"},
      element("p", {class: "legend"}, "Printed: " + kept.length + " of " + nodes.length + " nodes" + rest + ", " + this.columns.length + " of " + metrics.length + " " + what + "."), ...made);
  }

  fit(pen, text, room) {
    if (pen.measureText(text).width <= room) return text;
    let kept = Math.min(text.length, 80);
    while (kept > 1 && pen.measureText("\u2026" + text.slice(-kept)).width > room) --kept;
    return "\u2026" + text.slice(-kept);
  }

  at(event) {
    const box = this.node.getBoundingClientRect();
    const x = event.clientX - box.left, y = event.clientY - box.top;
    return {
      row: y < this.header ? -1 : Math.floor((y - this.header + this.node.scrollTop) / this.high),
      column: x < this.gutter ? -1 : Math.floor((x - this.gutter + this.node.scrollLeft) / this.wide),
    };
  }

  point(event) {
    const {row, column} = this.at(event);
    if (row >= 0 && row < this.rows.length) this.handlers.point(this.rows[row], column >= 0 && column < this.columns.length ? this.columns[column] : -1);
  }

  click(event) {
    const {row, column} = this.at(event);
    const metric = column >= 0 && column < this.columns.length ? this.columns[column] : -1;
    if (row === -1 && metric >= 0) return this.handlers.sort(metric);
    if (row < 0 || row >= this.rows.length) return;
    this.row = row;
    if (metric >= 0) this.column = column;
    this.handlers.open(this.rows[row], metric);
  }

  key(event) {
    const page = Math.max(1, Math.floor(this.node.clientHeight / this.high) - 2);
    const moves = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], PageUp: [-page, 0], PageDown: [page, 0],
      Home: [0, -this.columns.length], End: [0, this.columns.length]};
    const move = moves[event.key];
    if (!this.rows.length || !this.columns.length || event.ctrlKey || event.altKey || event.metaKey) return;
    if (move) {
      this.row = Math.max(0, Math.min(this.rows.length - 1, this.row + move[0]));
      this.column = Math.max(0, Math.min(this.columns.length - 1, this.column + move[1]));
      this.reveal();
      this.handlers.point(this.rows[this.row], this.columns[this.column]);
    } else if (event.key === "Enter") {
      this.handlers.open(this.rows[this.row], this.columns[this.column]);
    } else if (event.key === "s" || event.key === "S") {
      this.handlers.sort(this.columns[this.column]);
    } else {
      return;
    }
    event.preventDefault();
    this.later();
  }

  reveal() {
    const y = this.row * this.high, x = this.column * this.wide;
    const height = this.node.clientHeight - this.header, width = this.node.clientWidth - this.gutter;
    if (y < this.node.scrollTop) this.node.scrollTop = y;
    if (y + this.high > this.node.scrollTop + height) this.node.scrollTop = y + this.high - height;
    if (x < this.node.scrollLeft) this.node.scrollLeft = x;
    if (x + this.wide > this.node.scrollLeft + width) this.node.scrollLeft = x + this.wide - width;
  }
}
