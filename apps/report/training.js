// Draws the curves of the logs, with all runs in one plot.

/** The 'seconds' or 'tokens' that a run had used by a step, interpolated between two entries of its clock. */
function clockAt(run, step, what) {
  const {step: steps, [what]: values} = run.clock;
  const i = steps.findIndex((s) => s >= step);
  if (i < 0) return values[values.length - 1] ?? 0;
  const before = i === 0 ? [0, 0] : [steps[i - 1], values[i - 1]];
  return before[1] + ((values[i] - before[1]) * (step - before[0])) / (steps[i] - before[0]);
}

/** The choices for the x axis; at() returns a step's position on it. */
const axes = {
  steps: {title: 'step', at: (run, step) => step, format: (v) => counted(Math.round(v))},
  time: {title: 'training time [s]', at: (run, step) => clockAt(run, step, 'seconds'), format: (v) => brief(v)},
  tokens: {title: 'tokens', at: (run, step) => clockAt(run, step, 'tokens'), format: (v) => (v >= 1e6 ? `${brief(v / 1e6)} M` : v >= 1e4 ? `${brief(v / 1e3)} k` : brief(v))},
};

function points(run, series) {
  if (!series) return [];
  const {at} = axes[shown.axis];
  return series.x.map((step, i) => ({x: at(run, step), y: series.y[i]}));
}

/** The number of non-finite values, which leave gaps in the curve. */
function gaps(series) {
  return series ? series.y.filter((v) => v === null).length : 0;
}

/** The right end of the x axis, where the longest run ends. */
const lastX = () => Math.max(1, ...data.runs.map((run) => axes[shown.axis].at(run, run.step)));
const xOptions = () => ({x: axes[shown.axis].title, formatX: axes[shown.axis].format, lastX: lastX()});

/** A dashed line at the loss of a predictor that knows the text's source, in a list; empty where no such loss is known. */
function bestPossible(panel, name, of = (loss) => loss) {
  const y = data.best_possible?.[name];
  if (y === undefined) return [];
  panel.add(make('p', {class: 'hint'}, `Dashed: ${brief(of(y))}, the best possible, from the entropy of the text's source.`));
  return [curve('the best possible', [{x: 0, y: of(y)}, {x: lastX(), y: of(y)}], style('--text'), {borderDash: [7, 5], borderWidth: 1.5, pointRadius: 0})];
}

/** Draws a curve for each of `runs`, a list of {run, i}; `of(run)` returns its series, if it has one. */
function overlay(panel, runs, of, options, more = {}) {
  const datasets = runs.filter(({run}) => of(run)).map(({run, i}) =>
    curve(run.label, points(run, of(run)), runColour(i), {borderDash: runDash(i), ...more}));
  const missing = runs.reduce((sum, {run}) => sum + gaps(of(run)), 0);
  if (missing > 0) panel.add(make('p', {class: 'hint'}, `${missing} values are not finite and leave gaps in the curves.`));
  return {datasets, draw: (further = []) => chart(panel.body, 'line', [...datasets, ...further], curveOptions({...xOptions(), ...options}))};
}

/** A panel with one series of all visible runs that have it, or with the text `words` if none has; more(panel) returns further curves. */
function overlayPanel(id, title, hint, of, options, words, more = () => []) {
  const panel = new Panel('training', id, title, hint);
  const runs = visibleRuns();
  if (runs.length === 0) return panel.say('All runs are switched off in the legend.');
  if (!runs.some(({run}) => of(run))) return panel.say(words);
  const further = more(panel);
  overlay(panel, runs, of, options).draw(further);
  return panel;
}

/** Whether the values of all runs are positive and span more than `factor`; if so, the axis is logarithmic. */
function spans(runs, of, factor) {
  const values = runs.flatMap(({run}) => of(run)?.y ?? []).filter((v) => v !== null);
  return values.length > 0 && Math.min(...values) > 0 && Math.max(...values) > factor * Math.min(...values);
}

/** A panel for a noisy curve: the logged values are faint, their moving mean is bold. */
function restlessPanel(id, name, title, hint, options) {
  const panel = new Panel('training', id, title, `${hint} Faint: as logged; bold: moving mean over about a fiftieth of the run.`);
  const runs = visibleRuns();
  if (runs.length === 0) return panel.say('All runs are switched off in the legend.');
  if (!runs.some(({run}) => run.curves[name])) return panel.say('No step has been logged yet.');
  const raw = overlay(panel, runs, (run) => run.curves[name], options);
  raw.datasets.forEach((set) => Object.assign(set, {
    quiet: true, borderWidth: 1, pointRadius: set.data.length > 1 ? 0 : 3, borderColor: transparent(set.borderColor, runs.length > 2 ? 0.15 : 0.3),
  }));
  raw.draw([...runs.filter(({run}) => run.smooth[name]).map(({run, i}) =>
    curve(run.label, points(run, run.smooth[name]), runColour(i), {pointRadius: 0, borderDash: runDash(i)})), ...bestPossible(panel, name)]);
  return panel;
}

function confusionPanel() {
  const panel = new Panel('training', 'confusion', 'Confusion matrix', null);
  const run = chosenRun();
  if (run.task === 'lm') return panel.leave();
  if (!run.confusion) return panel.say('Not validated yet.');
  const {counts, step} = run.confusion;
  const sums = counts.map((row) => row.reduce((a, b) => a + b, 0));
  panel.add(make('p', {class: 'hint'}, `${run.label}, at step ${counted(step)}: the articles used for validation, by class and predicted class. Colours show the share of the class.`));
  const box = make('div', {class: 'confusion'});
  panel.add(box);
  heatMap(box, {
    rows: run.classes, columns: run.classes, xTitle: 'predicted class', yTitle: 'class',
    value: (y, x) => (sums[y] > 0 ? counts[y][x] / sums[y] : 0),
    text: (y, x) => String(counts[y][x]),
    note: (y, x, v) => `${counts[y][x]} of ${sums[y]} ${run.classes[y]} (${percent(v)}) labelled ${run.classes[x]}`,
  });
  return panel;
}

function classPanel() {
  const panel = new Panel('training', 'class-accuracy', 'Accuracy of each class', null);
  const run = chosenRun();
  if (run.task === 'lm') return panel.leave();
  if (!run.class_accuracy) return panel.say('Not validated yet.');
  panel.add(make('p', {class: 'hint'}, `${run.label}: the share of each class's articles used for validation that are labelled correctly.`));
  chart(panel.body, 'line', run.class_accuracy.map((series, c) => curve(run.classes[c], points(run, series), runColour(c))),
    curveOptions({...xOptions(), y: 'accuracy', format: percent, range: [0, 1], legend: true}));
  return panel;
}

/** Titles and hints for curves that only some runs log and that have no panel of their own. */
const furtherCurves = {
  auxiliary: ['Auxiliary loss', 'The weighted phase contrastive loss.'],
  valid_bits_per_byte: ['Validation bits per byte', 'Language models: the loss per byte of text, comparable between tokenizers.'],
  irw_recall: ['Recall of the approximate search', 'The share of the passages found by exact search that the index also finds, at each rebuild.'],
};

function drawTraining() {
  clear(document.getElementById('training'));
  const runs = visibleRuns();
  const of = (name) => (run) => run.curves[name];
  restlessPanel('loss', 'loss', 'Training loss', 'Cross entropy in nats.', {y: 'loss'});
  overlayPanel('validation', 'Validation loss', 'Cross entropy in nats; for classifiers, on the validation articles or, if there are none, the test articles.', of('valid_loss'), {y: 'loss'},
    'Not validated yet.', (panel) => bestPossible(panel, 'valid_loss'));
  if (data.runs.some((run) => run.task === 'lm')) overlayPanel('perplexity', 'Validation perplexity', 'Language models: exp of the validation loss.', of('valid_ppl'),
    {y: 'perplexity', logarithmic: spans(runs, of('valid_ppl'), 10)},
    runs.some(({run}) => run.task === 'lm') ? 'Not validated yet.' : 'No language model is switched on in the legend.', (panel) => bestPossible(panel, 'valid_loss', Math.exp));
  if (data.runs.some((run) => run.task !== 'lm')) overlayPanel('accuracy', 'Accuracy', 'Classifiers: the share of the validation articles (or, if there are none, the test articles) labelled correctly.', of('valid_accuracy'),
    {y: 'accuracy', format: percent, range: [0, 1]},
    runs.some(({run}) => run.task !== 'lm') ? 'Not validated yet.' : 'No classifier is switched on in the legend.');
  classPanel();
  confusionPanel();
  overlayPanel('lr', 'Learning rate', 'Set by the schedule: rises during warmup, then decays.', of('lr'), {y: 'learning rate'}, 'No step has been logged yet.');
  restlessPanel('grad-norm', 'grad_norm', 'Gradient norm', 'Global, before clipping.', {y: 'norm', logarithmic: spans(runs, of('grad_norm'), 30)});
  for (const [name, [title, hint]] of Object.entries(furtherCurves))
    if (runs.some(({run}) => run.curves[name])) overlayPanel(name.replaceAll('_', '-'), title, hint, of(name), {}, '');
}
