// The data, what is shown of them, and how elements and panels are made. Text enters the page by textContent alone, never as HTML.

let data = JSON.parse(document.getElementById('data').textContent);
const shown = {
  hidden: new Set(),  // numbers of runs that the legend switched off
  axis: 'steps',
  run: 0,  // whose details are shown
};

/** The element `tag` with attributes, and children that are elements or texts. */
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
/** From the ninth run on, colours come again with dashes. */
const runDash = (i) => (i < colours ? [] : i < 2 * colours ? [6, 3] : [2, 2]);
/** From the card's colour for a `share` of 0 to the full colour for 1. */
function heat(share) {
  const [from, to] = ['--heat-0', '--heat-1'].map((name) => style(name).split(',').map(Number));
  return `rgb(${from.map((c, i) => Math.round(c + (to[i] - c) * Math.max(0, Math.min(1, share)))).join(', ')})`;
}
const transparent = (colour, share) => colour + Math.round(255 * share).toString(16).padStart(2, '0');

const visibleRuns = () => data.runs.map((run, i) => ({run, i})).filter(({i}) => !shown.hidden.has(i));
const chosenRun = () => data.runs[shown.run];

/** Four significant digits, large and small numbers with an exponent. */
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

/** A card of the page. `drawn` counts what it shows, for who tests the page: points of plots, rows, or the word "words". */
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

  /** Says in words why there is nothing to draw. */
  say(words) {
    this.add(make('p', {class: 'words'}, words));
    this.root.dataset.drawn = 'words';
    this.root.classList.remove('wide');
    return this;
  }

  /** For cards of another family or task than the run's: they have no place on its page. */
  leave() {
    this.root.remove();
    return this;
  }

  drew(count) {
    this.root.dataset.drawn = count;
    return this;
  }
}

/** Buttons of which one is pressed; choose(i) is called for the first one at once, and whenever another is pressed. */
function choices(label, names, choose, first = 0) {
  const buttons = names.map((name, i) => make('button', {type: 'button', onclick: () => press(i)}, name));
  const press = (i) => {
    buttons.forEach((button, j) => button.setAttribute('aria-pressed', i === j));
    choose(i);
  };
  if (names.length > 1) return {bar: make('div', {class: 'choices'}, label, ...buttons), start: () => press(first)};
  return {bar: '', start: () => choose(0)};
}

/** What colours mean: names with the colours of the first runs. */
const colourKey = (names) => make('div', {class: 'class-key'}, ...names.map((name, i) => make('span', {}, make('i', {style: {background: runColour(i)}}), name)));

const range = (n) => Array.from({length: n}, (_, i) => i);

/** A section whose cards have all left is not shown either. */
function hideWhenEmpty(place) {
  const element = document.getElementById(place);
  element.closest('section').hidden = element.children.length === 0;
}
