// Shows what the chosen run has learnt, by family: QIC's angles, ComplexFormer's heads, CRAT's phase offsets,
// CRoPE's gains and complex weights.

const kappa = (theta) => -1 + Math.sin(2 * theta);
const setting = (run, key) => run.settings.find(([, name]) => name === key)?.[2];

/** The name of the part that an angle belongs to: the whole model, a block, or a head. */
function angleName(name) {
  const found = name.match(/^(?:blocks\.(\d+)\.)?(attn\.)?theta(?:\[(\d+)\])?$/);
  if (!found) return name;
  const [, block, attention, head] = found;
  if (block === undefined) return 'model';
  if (!attention) return `layer ${block}`;
  return head === undefined ? `layer ${block}, attention` : `layer ${block}, head ${head}`;
}

function anglesPanel(run) {
  const panel = new Panel('family', 'angles', 'QIC: the angles θ and κ(θ) = J²', null, true);
  if (run.panel !== 'angles') return panel.leave();
  if (setting(run, 'theta') === undefined) return panel.say(`${run.label} has the algebra "${setting(run, 'algebra')}": no angle θ is learnt.`);
  if (!run.angles) {
    return panel.say(setting(run, 'theta') === 'fixed'
      ? `${run.label} has fixed angles: θ = ${brief(Number(setting(run, 'theta_init')))} everywhere, κ = ${brief(kappa(Number(setting(run, 'theta_init'))))}.`
      : 'No step has been logged yet.');
  }
  panel.add(make('p', {class: 'hint'},
    'Layers compute with a + bJ, J² = κ(θ) = −1 + sin 2θ: complex numbers at κ = −1 (θ = 0), dual numbers at κ = 0 (θ = π/4). ' +
    'Bold: the model; dashed: a layer; thin: a head. Click the legend to toggle curves.'));
  const {step, names, theta} = run.angles;
  const owners = names.map(angleName);
  const look = (owner) => {
    if (owner === 'model') return {colour: style('--text'), more: {borderWidth: 3}};
    const layer = Number(owner.match(/\d+/)[0]);
    return {colour: runColour(layer), more: owner.includes(',') ? {borderWidth: 1.2} : {borderWidth: 2.4, borderDash: [6, 3]}};
  };
  const row = make('div', {class: 'row'});
  panel.add(row);
  const lines = (rows) => rows.map((values, a) => {
    const {colour, more} = look(owners[a]);
    return curve(owners[a], points(run, {x: step, y: values}), colour, {...more, pointRadius: step.length > 1 ? 0 : 4});
  });
  const options = {...xOptions(), legend: true};
  chart(row, 'line', lines(theta), curveOptions({...options, y: 'θ [rad]'}), 'tall');
  chart(row, 'line', lines(run.angles.kappa), curveOptions({...options, y: 'κ(θ)'}), 'tall');
  const all = theta.flat().filter((t) => t !== null);
  const low = Math.min(0, ...all), high = Math.max(Math.PI / 2, ...all);
  const parabola = range(81).map((i) => low + ((high - low) * i) / 80).map((t) => ({x: t, y: kappa(t)}));
  const marks = [[0, 'θ = 0: complex numbers'], [Math.PI / 4, 'θ = π/4: dual numbers, where the gradient of θ is 0'], [Math.PI / 2, 'θ = π/2: complex numbers again']];
  chart(row, 'scatter', [
    ...theta.map((values, a) => ({label: owners[a], pointRadius: 4.5, borderColor: style('--card'), backgroundColor: look(owners[a]).colour,
      data: [{x: values[values.length - 1], y: kappa(values[values.length - 1]), note: `${owners[a]}: θ = ${brief(values[values.length - 1])}, κ = ${brief(kappa(values[values.length - 1]))}, began at θ = ${brief(values[0])}`}]})),
    ...theta.map((values, a) => ({label: owners[a], quiet: true, showLine: true, pointRadius: 0, borderWidth: 3, borderColor: transparent(rgbOf(look(owners[a]).colour), 0.5),
      data: values.filter((t) => t !== null).map((t) => ({x: t, y: kappa(t)}))})),
    {label: 'marks', clip: false, pointStyle: 'rectRot', pointRadius: 5, borderColor: style('--soft'), backgroundColor: style('--card'),
      data: marks.map(([t, note]) => ({x: t, y: kappa(t), note}))},
    {label: 'κ', quiet: true, showLine: true, pointRadius: 0, borderWidth: 1, borderColor: style('--soft'), data: parabola},
  ], {
    parsing: false,
    scales: {x: {type: 'linear', min: low, max: high, title: axisTitle('θ [rad], after the last step'), ticks: {callback: brief, includeBounds: false}}, y: {title: axisTitle('κ(θ)'), suggestedMax: 0.1}},
    plugins: {tooltip: {filter: (item) => !item.dataset.quiet, callbacks: {label: (item) => ` ${item.raw.note}`}}},
  }, 'tall');
  return panel;
}

/** Expands three-digit colours such as "#abc" to "#rrggbb"; others are returned unchanged. */
const rgbOf = (colour) => (colour.length === 4 ? `#${[...colour.slice(1)].map((c) => c + c).join('')}` : colour);

/** Colours from the fastest frequency to the slowest. */
const spectrum = (j, n) => `hsl(${Math.round((290 * j) / Math.max(1, n - 1))}, 75%, ${matchMedia('(prefers-color-scheme: dark)').matches ? 65 : 42}%)`;

/** The values of one head, from values [steps][heads · n], as trails: trail[j] holds the points of frequency j over the steps. */
function trails(values, head, n, point) {
  return range(n).map((j) => values.map((flat, s) => point(head * n + j, j, s)));
}

/** Datasets that draw each trail as a line with a point at its end. */
const trailSets = (paths, index, n) => [
  {label: 'ends', pointRadius: 3.5, borderWidth: 1, borderColor: style('--card'), backgroundColor: paths.map((_, j) => spectrum(j, n)), data: paths.map((path) => path[path.length - 1])},
  ...paths.map((path, j) => ({label: `${index} = ${j}`, showLine: true, borderWidth: 1.2, pointRadius: 0, pointHitRadius: 3, borderColor: spectrum(j, n), data: path})),
];

const oneOf = (name, layer) => `blocks.${layer}.attn.${name}`;

function headsPanel(run) {
  const panel = new Panel('family', 'heads', 'ComplexFormer: δ and b of each head', null, true);
  if (run.panel !== 'heads') return panel.leave();
  if (setting(run, 'adaptation') === 'fixed') return panel.say(`${run.label} has the adaptation "fixed": δ = 1 and b = 0 in every head, as in RoPE.`);
  if (setting(run, 'adaptation') === 'moduli') return panel.say(`${run.label} has the adaptation "moduli": δ = 0 and b = 0 in every head, so the phases of q and k have no effect.`);
  if (!run.history) return panel.say(`${run.label} has no history of δ and b.`);
  const {steps, parameters} = run.history;
  panel.add(make('p', {class: 'hint'},
    'A head scores by λq λk cos(δ (θq − θk) + b + (m − n) ω). Each frequency is a point at angle b and distance √|δ| from 0 (the square ' +
    `root keeps small values visible), on the opposite side where δ < 0. Its trail runs from step 0 to ${counted(steps[steps.length - 1])} through ` +
    `${steps.length} checkpoints. The ring on the unit circle marks RoPE (δ = 1, b = 0). Red: high frequencies; violet: low ones.`));
  const {shape} = parameters[oneOf('delta', 0)];
  const [heads, n] = shape.length === 2 ? shape : [1, shape[0]];
  const grid = make('div', {class: 'heads'});
  const layers = choices('layer ', range(run.layers).map(String), (layer) => {
    clear(grid);
    const delta = parameters[oneOf('delta', layer)].values, bias = parameters[oneOf('phase_bias', layer)].values;
    for (const h of range(heads)) {
      const box = make('div', {class: 'head'}, make('b', {}, heads > 1 ? `layer ${layer}, head ${h}` : `layer ${layer}, all heads`));
      grid.append(box);
      const place = (d, b) => ({x: Math.sign(d) * Math.sqrt(Math.abs(d)) * Math.cos(b), y: Math.sign(d) * Math.sqrt(Math.abs(d)) * Math.sin(b)});
      const paths = trails(delta, h, n, (k, j, s) => ({
        ...place(delta[s][k], bias[s][k]), note: `j = ${j}, step ${steps[s]}: δ = ${brief(delta[s][k])}, b = ${brief(bias[s][k])}`,
      }));
      plane(box, [
        ...trailSets(paths, 'j', n),
        {label: 'RoPE', pointRadius: 5, borderWidth: 1.5, borderColor: style('--soft'), backgroundColor: 'transparent', data: [{x: 1, y: 0, note: 'RoPE: δ = 1, b = 0'}]},
        circle(1, style('--soft')),
      ], (v) => Math.sign(v) * v * v);
    }
  });
  panel.add(layers.bar, grid);
  layers.start();
  if (run.curves.delta_mean) {
    const row = make('div', {class: 'row'});
    panel.add(row);
    for (const [name, symbol] of [['delta', 'δ'], ['phase_bias', 'b']]) {
      chart(row, 'line', [
        curve(`mean of ${symbol}`, points(run, run.curves[`${name}_mean`]), runColour(0), {pointRadius: 0}),
        curve(`standard deviation of ${symbol}`, points(run, run.curves[`${name}_std`]), runColour(1), {pointRadius: 0}),
      ], curveOptions({...xOptions(), y: `${symbol}, all heads and frequencies`, legend: true}));
    }
  }
  return panel;
}

function offsetsPanel(run) {
  const panel = new Panel('family', 'offsets', 'CRAT: the phase offsets φ of the positions', null, true);
  if (run.panel !== 'offsets') return panel.leave();
  if (setting(run, 'phase_offsets') !== 'true') return panel.say(`${run.label} has phase_offsets = false: its sinusoids have no offsets.`);
  const {steps, parameters} = run.history;
  const {values, shape: [n]} = parameters['position.phase'];
  panel.add(make('p', {class: 'hint'},
    'Positions enter as sin and cos of t/10000^(2i/d) + φ_i. Left: the angles φ_i, with the training step as radius: a trail runs outwards from step 0, ' +
    `where φ = 0, to the circle at step ${counted(steps[steps.length - 1])}. Red: the fastest sinusoids; violet: the slowest.`));
  const row = make('div', {class: 'row'});
  panel.add(row);
  const paths = trails(values, 0, n, (k, j, s) => {
    const radius = steps.length > 1 ? 0.25 + (0.75 * s) / (steps.length - 1) : 1;
    return {x: radius * Math.cos(values[s][k]), y: radius * Math.sin(values[s][k]), note: `i = ${j}, step ${steps[s]}: φ = ${brief(values[s][k])}`};
  });
  const square = make('div', {class: 'head'});
  row.append(square);
  plane(square, [...trailSets(paths, 'i', n), circle(1, style('--soft'))], null);
  const chosen = [...new Set([0, Math.floor(steps.length / 2), steps.length - 1])];
  chart(row, 'line', chosen.map((s, i) => curve(`step ${counted(steps[s])}`, values[s].map((phi, j) => ({x: j, y: phi})), runColour(i), {pointRadius: n > 40 ? 0 : 2})),
    curveOptions({x: 'i, from the fastest sinusoid to the slowest', y: 'φ_i [rad]', lastX: n - 1, legend: true}), 'tall');
  return panel;
}

function gainsPanel(run) {
  const panel = new Panel('family', 'gains', 'CRoPE: gains by frequency, and phases of the complex weights', null, true);
  if (run.panel !== 'gains') return panel.leave();
  const history = run.history;
  if (!history || (Object.keys(history.parameters).length === 0 && Object.keys(history.phases).length === 0))
    return panel.say(`${run.label} has neither QK-norms nor complex projections.`);
  const {steps, parameters, phases} = history;
  const last = counted(steps[steps.length - 1]);
  const content = make('div');
  const draw = (layer) => {
    clear(content);
    if (parameters[oneOf('q_norm.weight', layer)]) {
      content.append(make('p', {class: 'hint'}, `Gains of the QK-norm, root mean square of each pair that RoPE rotates: faint at step 0, bold at step ${last}.`));
      const gains = (name, s) => {
        const flat = parameters[oneOf(name, layer)].values[s];
        return range(flat.length / 2).map((j) => ({x: j, y: Math.hypot(flat[2 * j], flat[2 * j + 1]) / Math.SQRT2}));
      };
      chart(content, 'line', [['q_norm.weight', 'queries', 0], ['k_norm.weight', 'keys', 1]].flatMap(([name, label, c]) => [
        curve(label, gains(name, steps.length - 1), runColour(c)),
        curve(`${label}, step 0`, gains(name, 0), transparent(runColour(c), 0.4), {borderDash: [4, 4], pointRadius: 0}),
      ]), curveOptions({x: 'pair, from the fastest rotation to the slowest', y: 'gain', lastX: gains('q_norm.weight', 0).length - 1, legend: true}));
    }
    const projections = ['q', 'k', 'v', 'o'].filter((p) => phases[oneOf(`${p}.weight`, layer)]);
    content.append(make('p', {class: 'hint'}, projections.length > 0
      ? `Phases of the entries of the complex-linear projections: how many in each sector, at step 0 and at step ${last}.`
      : `The mode "${setting(run, 'mode')}" makes no projection complex-linear, so no weights have phases.`));
    if (projections.length > 0) content.append(colourKey([`step ${last}`, 'step 0']));
    const grid = make('div', {class: 'heads'});
    content.append(grid);
    for (const p of projections) {
      const {first, last: now} = phases[oneOf(`${p}.weight`, layer)];
      const box = make('div', {class: 'head'}, make('b', {}, `layer ${layer}, ${p}`));
      grid.append(box);
      rose(box, [{label: `step ${last}`, counts: now, colour: runColour(0)}, {label: 'step 0', counts: first, colour: runColour(1)}]);
    }
  };
  const layers = choices('layer ', range(run.layers).map(String), draw);
  panel.add(layers.bar, content);
  layers.start();
  return panel;
}

function drawFamily() {
  clear(document.getElementById('family'));
  const run = chosenRun();
  const panels = {angles: anglesPanel, heads: headsPanel, offsets: offsetsPanel, gains: gainsPanel};
  // The family's own panel comes first; the others only say why there is nothing to show.
  const first = panels[run.panel];
  if (first) first(run);
  for (const panel of Object.values(panels)) if (panel !== first) panel(run);
}
