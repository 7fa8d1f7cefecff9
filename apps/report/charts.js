// Sets up Chart.js for this page: lines, complex planes, rose diagrams of phases, and heat maps, which Chart.js itself lacks.

/** A cell of a heat map. */
class HeatCell extends Chart.Element {
  draw(context) {
    context.fillStyle = this.options.backgroundColor;
    // Slightly larger than the cell, so that no seams show between neighbours.
    context.fillRect(this.x - this.width / 2, this.y - this.height / 2, this.width + 0.4, this.height + 0.4);
    if (!this.options.text) return;
    Object.assign(context, {fillStyle: this.options.color, textAlign: 'center', textBaseline: 'middle', font: `13px ${Chart.defaults.font.family}`});
    context.fillText(this.options.text, this.x, this.y);
  }
  inRange(x, y) {
    return this.inXRange(x) && this.inYRange(y);
  }
  inXRange(x) {
    return Math.abs(x - this.x) <= this.width / 2;
  }
  inYRange(y) {
    return Math.abs(y - this.y) <= this.height / 2;
  }
  getCenterPoint() {
    return {x: this.x, y: this.y};
  }
  tooltipPosition() {
    return this.getCenterPoint();
  }
}
HeatCell.id = 'heatCell';
HeatCell.defaults = {backgroundColor: 'transparent', color: 'transparent', text: ''};

/** Draws heat maps from data {x: column, y: row, v: value}; both axes have the type `category`. */
class HeatController extends Chart.DatasetController {
  update(mode) {
    const cells = this._cachedMeta.data;
    this.updateElements(cells, 0, cells.length, mode);
  }
  updateElements(cells, start, count, mode) {
    const {xScale, yScale} = this._cachedMeta;
    const width = xScale.width / xScale.getLabels().length, height = yScale.height / yScale.getLabels().length;
    for (let i = start; i < start + count; ++i) {
      const {x, y} = this.getParsed(i);
      const place = {x: xScale.getPixelForValue(x), y: yScale.getPixelForValue(y), width, height};
      this.updateElement(cells[i], i, {...place, options: this.resolveDataElementOptions(i, mode)}, mode);
    }
  }
}
HeatController.id = 'heat';
HeatController.defaults = {datasetElementType: false, dataElementType: 'heatCell'};
HeatController.overrides = {scales: {x: {type: 'category', offset: true}, y: {type: 'category', offset: true}}};
Chart.register(HeatController, HeatCell);

/** Records on each panel how many points its charts have drawn, for tests of the page. */
Chart.register({
  id: 'drawn',
  afterDraw(chart) {
    const panel = chart.canvas.closest('[data-panel]');
    if (!panel) return;
    chart.drawnPoints = chart.getSortedVisibleDatasetMetas().reduce((sum, meta) => sum + meta.data.length, 0);
    panel.dataset.drawn = live.filter((c) => panel.contains(c.canvas)).reduce((sum, c) => sum + (c.drawnPoints || 0), 0);
  },
});

/** All charts of the page. */
let live = [];

/** Creates a chart in its own box inside `host`; `box`: additional classes of the box. */
function chart(host, type, datasets, options, box = '', labels = undefined) {
  const canvas = make('canvas', {role: 'img'});
  host.append(make('div', {class: `plot ${box}`}, canvas));
  const made = new Chart(canvas, {type, data: {labels, datasets}, options});
  live.push(made);
  made.draw();
  return made;
}

/** Empties an element and destroys the charts in it. */
function clear(element) {
  live = live.filter((c) => {
    const inside = element.contains(c.canvas);
    if (inside) c.destroy();
    return !inside;
  });
  element.replaceChildren();
}

/** Sets the default colours of charts; call it when the colour scheme changes, before charts are created. */
function setDefaults() {
  const defaults = Chart.defaults;
  defaults.animation = false;
  defaults.maintainAspectRatio = false;
  defaults.color = style('--soft');
  defaults.borderColor = style('--grid');
  defaults.font.family = getComputedStyle(document.body).fontFamily;
  defaults.font.size = 12;
  defaults.plugins.legend.display = false;
  defaults.plugins.legend.labels.boxWidth = 14;
  defaults.plugins.legend.labels.boxHeight = 3;
  Object.assign(defaults.plugins.tooltip, {
    backgroundColor: style('--text'), titleColor: style('--card'), bodyColor: style('--card'), boxPadding: 4,
  });
}

const axisTitle = (text) => ({display: Boolean(text), text});

/** Options for a chart of curves over x; `range`: the limits [from, to] of the y axis, if known in advance. */
function curveOptions({x, y, range: [from, to] = [], legend = false, logarithmic = false, format = brief, formatX = brief, lastX = undefined}) {
  return {
    parsing: false,
    spanGaps: false,
    interaction: {mode: 'nearest', axis: 'x', intersect: false},
    scales: {
      x: {type: 'linear', min: 0, max: lastX, title: axisTitle(x), ticks: {maxRotation: 0, includeBounds: false, callback: formatX}},
      y: {type: logarithmic ? 'logarithmic' : 'linear', min: from, max: to, title: axisTitle(y), ticks: {callback: tickFormat(logarithmic, format)}},
    },
    plugins: {
      legend: {display: legend, position: 'bottom'},
      tooltip: {
        filter: (item) => !item.dataset.quiet,
        callbacks: {
          title: (items) => (items.length ? `${x} ${formatX(items[0].parsed.x)}` : ''),
          label: (item) => ` ${item.dataset.label}: ${format(item.parsed.y)}`,
        },
      },
    },
  };
}

/** Formats the ticks of an axis; on a logarithmic one, labels only 1, 2 and 5 times powers of ten. */
const tickFormat = (logarithmic, format) => (value) =>
  !logarithmic || /^[125]/.test(Number(value).toExponential()) ? format(value) : null;

/** A curve as a dataset, with its points marked if there are few. */
function curve(label, points, colour, more = {}) {
  const radius = points.length > 40 ? 0 : points.length > 1 ? 2 : 4;
  return {label, data: points, borderColor: colour, backgroundColor: colour, borderWidth: 2, pointRadius: radius, pointHitRadius: 8, clip: 5, ...more};
}

/** A circle around 0 as a dataset. */
const circle = (radius, colour) => ({
  label: 'circle', quiet: true, showLine: true, borderColor: colour, borderWidth: 1, pointRadius: 0,
  data: range(97).map((i) => ({x: radius * Math.cos((i * Math.PI) / 48), y: radius * Math.sin((i * Math.PI) / 48)})),
});

/**
 * Draws the part |x|, |y| <= 1.2 of the complex plane; each point's `note` is its tooltip. `written` converts a coordinate
 * to the number shown on the axis; null: no numbers.
 */
function plane(host, datasets, written = (v) => v) {
  const reach = 1.2;
  const axis = (vertical) => ({
    type: 'linear', min: -reach, max: reach,
    ticks: {stepSize: 0.5, font: {size: 10}, includeBounds: false, callback: (v) => (written === null ? '' : v === 0 ? '0' : `${brief(written(v))}${vertical ? 'i' : ''}`)},
    grid: {color: (c) => (c.tick.value === 0 ? style('--soft') : style('--grid'))},
  });
  return chart(host, 'scatter', datasets, {
    parsing: false,
    scales: {x: axis(false), y: axis(true)},
    plugins: {tooltip: {filter: (item) => !item.dataset.quiet, callbacks: {label: (item) => ` ${item.raw.note}`}}},
  });
}

/** Draws a rose diagram of phases from sets {label, counts, colour}, counter-clockwise from phase 0 on the right. */
function rose(host, sets) {
  const bins = sets[0].counts.length;
  const bin = (i) => (bins - i) % bins;  // Chart.js draws sectors clockwise
  const name = (i) => ['0', 'π/2', '±π', '−π/2'][(4 * bin(i)) / bins] ?? '';
  const degrees = (i) => Math.round((bin(i) * 360) / bins);
  const datasets = sets.map(({label, counts, colour}) => ({
    label, data: range(bins).map((i) => counts[bin(i)]), borderColor: colour, backgroundColor: transparent(colour, 0.15), borderWidth: 1.5,
    pointRadius: 0, pointHitRadius: 8,
  }));
  return chart(host, 'radar', datasets, {
    interaction: {mode: 'index', intersect: false},
    scales: {
      r: {
        beginAtZero: true, startAngle: 90, ticks: {maxTicksLimit: 4, precision: 0, font: {size: 10}, showLabelBackdrop: false},
        grid: {circular: true, color: style('--grid')},
        angleLines: {color: (c) => (name(c.index) ? style('--grid') : 'transparent')},
        pointLabels: {font: {size: 11}, callback: (_, i) => name(i)},
      },
    },
    plugins: {
      tooltip: {
        callbacks: {
          title: (items) => `${degrees(items[0].dataIndex)}° ± ${180 / bins}°`,
          label: (item) => ` ${item.dataset.label}: ${item.raw}`,
        },
      },
    },
  }, '', range(bins).map(String));
}

/**
 * Draws a heat map of value(row, column) in [0, 1]; null leaves a cell empty. Colours show the square root, which makes small values
 * visible. Without `axes` the map is a thumbnail.
 */
function heatMap(host, {rows, columns, value, note, text = () => '', axes = true, xTitle = '', yTitle = ''}) {
  const cells = [];
  rows.forEach((_, y) => columns.forEach((_, x) => {
    const v = value(y, x);
    if (v !== null) cells.push({x, y, v, text: text(y, x)});
  }));
  const shades = range(65).map((i) => heat(Math.sqrt(i / 64)));
  const axis = (title, rotation) => ({
    type: 'category', offset: true, grid: {display: false}, title: axisTitle(title), display: axes,
    ticks: {autoSkip: false, minRotation: rotation, maxRotation: rotation, padding: 2,
      font: {size: Math.max(8, Math.min(12, Math.round(430 / rows.length)))},
      callback: function (i) {
        const label = this.getLabelForValue(i);
        return label.length > 14 ? `${label.slice(0, 13)}…` : label;
      }},
  });
  const cell = {
    data: cells, backgroundColor: (c) => (c.raw ? shades[Math.round(64 * c.raw.v)] : 'transparent'), text: (c) => c.raw?.text ?? '',
    color: (c) => style(c.raw?.v > 0.3 ? '--card' : '--text'),
  };
  return chart(host, 'heat', [cell], {
    parsing: false,
    events: axes ? undefined : [],
    interaction: {mode: 'nearest', intersect: true},
    scales: {x: {...axis(xTitle, columns.length > 8 ? 90 : 0), labels: columns}, y: {...axis(yTitle, 0), labels: rows}},
    plugins: {tooltip: {callbacks: {title: () => '', label: (item) => ` ${note(item.raw.y, item.raw.x, item.raw.v)}`}}},
  });
}

/** The colour scale of a heat map, labelled `from` and `to`. */
function heatKey(from, to) {
  const shades = range(9).map((i) => heat(Math.sqrt(i / 8)));
  return make('div', {class: 'scale'}, from, make('i', {style: {background: `linear-gradient(to right, ${shades.join(', ')})`}}), to);
}
