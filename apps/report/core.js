// The data, the current selection, and helpers that create elements and panels. Text is inserted only as textContent, never as HTML.

let data = JSON.parse(document.getElementById('data').textContent);
const shown = {
  hidden: new Set(),  // the indices of the runs switched off in the legend
  axis: 'steps',
  run: 0,  // the index of the run whose details are shown
};

/** Creates an element with attributes and children, which are elements or texts. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'style') Object.assign(element.style, value);
    else if (value !== null) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const colours = 8;
const runColour = (i) => style(`--run-${i % colours}`);
/** The dash pattern of run i: from the ninth run on, colours repeat with dashes. */
const runDash = (i) => (i < colours ? [] : i < 2 * colours ? [6, 3] : [2, 2]);
/** The colour for a `share` between 0, the card's own colour, and 1, the full colour. */
function heat(share) {
  const [from, to] = ['--heat-0', '--heat-1'].map((name) => style(name).split(',').map(Number));
  return `rgb(${from.map((c, i) => Math.round(c + (to[i] - c) * Math.max(0, Math.min(1, share)))).join(', ')})`;
}
const transparent = (colour, share) => colour + Math.round(255 * share).toString(16).padStart(2, '0');

const visibleRuns = () => data.runs.map((run, i) => ({run, i})).filter(({i}) => !shown.hidden.has(i));
const chosenRun = () => data.runs[shown.run];

/** Formats a number with four significant digits, large and small ones with an exponent. */
function brief(value) {
  if (value === null || !Number.isFinite(value)) return 'not a number';
  if (value !== 0 && (Math.abs(value) >= 1e6 || Math.abs(value) < 1e-4)) return value.toExponential(2).replace(/\.?0+e/, 'e');
  return String(Number(value.toPrecision(4)));
}
const percent = (share) => (share === null ? 'not a number' : `${(100 * share).toFixed(1)} %`);
const counted = (n) => n.toLocaleString('en').replaceAll(',', ' ');
function duration(seconds) {
  if (seconds < 60) return `${brief(Number(seconds.toPrecision(3)))} s`;
  if (seconds < 600) return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** A card of the page. Its `data-drawn` attribute tells tests what it shows: the number of points or rows, or "words" for text
   only. */
class Panel {
  constructor(place, id, title, hint, wide = false) {
    this.body = make('div');
    this.root = make('article', {class: wide ? 'panel wide' : 'panel', 'data-panel': id}, make('h3', {}, title));
    if (hint) this.root.append(make('p', {class: 'hint'}, hint));
    this.root.append(this.body);
    document.getElementById(place).append(this.root);
  }

  add(...children) {
    this.body.append(...children);
    return this;
  }

  /** Shows a sentence that explains why there is nothing to draw. */
  say(words) {
    this.add(make('p', {class: 'words'}, words));
    this.root.dataset.drawn = 'words';
    this.root.classList.remove('wide');
    return this;
  }

  /** Removes the card if it is meant for a different family or task than the run's. */
  leave() {
    this.root.remove();
    return this;
  }

  drew(count) {
    this.root.dataset.drawn = count;
    return this;
  }
}

/** A row of buttons of which one is pressed. start() presses the one with index `first`; choose(i) is called for every press. */
function choices(label, names, choose, first = 0) {
  const buttons = names.map((name, i) => make('button', {type: 'button', onclick: () => press(i)}, name));
  const press = (i) => {
    buttons.forEach((button, j) => button.setAttribute('aria-pressed', i === j));
    choose(i);
  };
  if (names.length > 1) return {bar: make('div', {class: 'choices'}, label, ...buttons), start: () => press(first)};
  return {bar: '', start: () => choose(0)};
}

/** A colour key: each name next to its colour, in the order of the runs' colours. */
const colourKey = (names) => make('div', {class: 'class-key'}, ...names.map((name, i) => make('span', {}, make('i', {style: {background: runColour(i)}}), name)));

const range = (n) => Array.from({length: n}, (_, i) => i);

/** Hides a section if all its cards have been removed. */
function hideWhenEmpty(place) {
  const element = document.getElementById(place);
  element.closest('section').hidden = element.children.length === 0;
}
