// Applies the chosen run's best parameters to a text: phases, attention, passages, gradients and samples.

/** The beginning of a hint: which parameters and which text a panel shows, and whether the text was cut. */
function aboutText(run) {
  const {text} = run;
  return `${run.label}, parameters of step ${counted(run.observed_step)}, on ${text.from}${text.cut ? ', of which the first tokens are shown' : ''}. `;
}

function phasesPanel(run) {
  const panel = new Panel('text', 'phases', 'Phases of queries and keys', null, true);
  const {text} = run;
  if (text.none) return panel.say(text.none);
  if (text.phases.length === 0)
    return panel.say(`The attention of ${run.label} (${run.family}) uses real vectors: no rotation pairs their components into complex numbers.`);
  panel.add(make('p', {class: 'hint'}, `${aboutText(run)}${run.phases_are} The number of values in each sector, over all tokens.`));
  const grid = make('div', {class: 'heads'});
  const layers = choices('layer ', text.phases.map((_, l) => String(l)), (l) => {
    clear(grid);
    text.phases[l].q.forEach((q, h) => {
      const box = make('div', {class: 'head'}, make('b', {}, `layer ${l}, head ${h}`));
      grid.append(box);
      rose(box, [{label: 'queries', counts: q, colour: runColour(0)}, {label: 'keys', counts: text.phases[l].k[h], colour: runColour(1)}]);
    });
  });
  panel.add(colourKey(['queries', 'keys']), layers.bar, grid);
  layers.start();
  return panel;
}

function attentionPanel(run) {
  const panel = new Panel('text', 'attention', 'Attention', null, true);
  const {text} = run;
  if (text.none) return panel.say(text.none);
  const {words, attention} = text;
  const T = words.length;
  panel.add(make('p', {class: 'hint'}, `${aboutText(run)}Rows: the tokens that attend; columns: the tokens attended to. The weights of a row add up to 1. ` +
    'Colours show the square root of the weight. Choose a head to see its tokens; hover or tap to see a weight.'));
  const map = (l, h) => ({
    rows: words, columns: words,
    value: (y, x) => (run.causal && x > y ? null : attention[l][h][y * T + x] / 1000),
    note: (y, x, v) => `${words[y]} (${y}) attends to ${words[x]} (${x}): ${v.toFixed(3)}`,
  });
  const grid = make('div', {class: 'heads'}), large = make('div', {class: 'map'});
  const layers = choices('layer ', attention.map((_, l) => String(l)), (l) => {
    clear(grid);
    const heads = attention[l].map((_, h) => {
      const box = make('button', {type: 'button', class: 'head', onclick: () => choose(h)}, make('b', {}, `layer ${l}, head ${h}`));
      grid.append(box);
      heatMap(box, {...map(l, h), axes: false});
      return box;
    });
    const choose = (h) => {
      heads.forEach((box, i) => box.setAttribute('aria-pressed', i === h));
      clear(large);
      heatMap(large, {...map(l, h), xTitle: 'attended to (keys)', yTitle: `layer ${l}, head ${h}: attending (queries)`});
    };
    choose(0);
  });
  panel.add(layers.bar, grid, make('div', {class: 'scroll'}, large), heatKey('0', '1'));
  layers.start();
  return panel;
}

function windowsPanel(run) {
  const panel = new Panel('text', 'windows', 'What the reflection windows read', null, true);
  if (!run.uses_retrieval) return panel.leave();
  if (run.text.none) return panel.say(run.text.none);
  const {words, windows, passages} = run.text;
  if (windows.length === 0) return panel.say(`${run.label} has no reflection window (irw_layers is empty).`);
  const gated = windows[0].gate.length > 0;
  panel.add(make('p', {class: 'hint'}, aboutText(run) + (gated
    ? 'At every token the window reads the passages nearest to its query, with the weights of a softmax; the gate, here its mean over all components, sets how much enters the state. Choose a token.'
    : 'When a chunk of the text is complete, passages are retrieved for it and read until the next chunk is complete. Their weights are the attention that each receives, averaged over heads. Choose a token.')));
  const content = make('div');
  let word = words.length - 1;
  const layers = choices('layer ', windows.map((w) => String(w.layer)), (w) => {
    const {chosen, weights, gate} = windows[w];
    clear(content);
    const plot = gated ? make('div', {class: 'scroll'}, make('div', {style: {minWidth: `${Math.max(280, 16 * words.length)}px`}})) : '';
    const list = make('ul', {class: 'passages'}), title = make('p', {class: 'hint'});
    const shade = (t) => (gated ? 0.6 * gate[t] ** 2 : chosen[t].length ? 0.2 : 0);
    const buttons = words.map((text, t) => make('button', {type: 'button', style: {background: heat(shade(t))}, onclick: () => choose(t)}, text));
    const choose = (t) => {
      word = t;
      buttons.forEach((button, i) => button.setAttribute('aria-pressed', i === t));
      title.textContent = `At “${words[t]}” (position ${t}), ${gated ? `gate ${brief(gate[t])}:` : chosen[t].length ? 'passages found for the last complete chunk:' : 'no chunk is complete yet.'}`;
      list.replaceChildren(...chosen[t].map((p, j) => make('li', {},
        make('div', {class: 'share', style: {width: `${Math.max(0.5, 100 * weights[t][j])}%`}}),
        make('b', {}, `${weights[t][j].toFixed(3)} `), `passage ${p}, from token ${counted(passages[p].start)} of the text: `, passages[p].text)));
    };
    content.append(plot, make('div', {class: 'running'}, ...buttons), title, list);
    if (gated) chart(plot.firstChild, 'bar', [{label: 'gate', data: gate, backgroundColor: runColour(0), barPercentage: 0.9, categoryPercentage: 1}], {
      scales: {x: {grid: {display: false}, ticks: {autoSkip: false, minRotation: 90, font: {size: 10}, callback: (i) => words[i]}}, y: {min: 0, max: 1, title: axisTitle('mean gate')}},
      plugins: {tooltip: {callbacks: {title: () => '', label: (item) => ` ${words[item.dataIndex]} (${item.dataIndex}): gate ${brief(item.raw)}`}}},
      onClick: (event, items) => items.length && choose(items[0].index),
    }, '', words.map((_, i) => i));
    choose(word);
  });
  panel.add(layers.bar, content);
  layers.start();
  return panel;
}

/** The layer of a parameter; outside the layers, the first component of its name. */
const layerOf = (name) => /^blocks\.(\d+)\./.exec(name)?.[1] ?? name.split('.')[0];

function gradientsPanel(run) {
  const panel = new Panel('text', 'gradients', 'Gradients, layer by layer', null, true);
  const {gradients} = run;
  if (gradients.none) return panel.say(gradients.none);
  const places = [...new Set(gradients.parameters.map((p) => layerOf(p.name)))];
  const written = (place) => (/^\d+$/.test(place) ? `layer ${place}` : place);
  const of = (place) => gradients.parameters.filter((p) => layerOf(p.name) === place);
  panel.add(make('p', {class: 'hint'}, `${aboutText(run)}The gradient of the loss on this text, which is ${brief(gradients.loss)}. Bars: root mean square of the magnitudes |g|. ` +
    'Magnitudes that shrink towards the first layers mean that little of the gradient reaches them. Choose a layer to see its parameters, and the phases of the complex ones.'));
  const bars = (host, names, values, notes, choose) => {
    const box = make('div', {class: 'bars', style: {height: `${60 + 22 * names.length}px`}});
    host.append(box);
    chart(box, 'bar', [{label: 'rms', data: values.map((v) => (v > 0 ? v : null)), backgroundColor: runColour(0), barPercentage: 0.8}], {
      indexAxis: 'y',
      scales: {x: {type: 'logarithmic', title: axisTitle('root mean square of |g|'), ticks: {callback: tickFormat(true, brief)}}, y: {grid: {display: false}, ticks: {autoSkip: false}}},
      plugins: {tooltip: {callbacks: {label: (item) => ` ${notes[item.dataIndex]}`}}},
      onClick: (event, items) => choose && items.length && choose(items[0].index),
    }, 'whole', names);
  };
  const rms = (ps) => Math.sqrt(ps.reduce((sum, p) => sum + p.size * p.rms ** 2, 0) / ps.reduce((sum, p) => sum + p.size, 0));
  const content = make('div');
  const layers = choices('parameters of ', places.map(written), (i) => {
    clear(content);
    const ps = of(places[i]);
    bars(content, ps.map((p) => p.name), ps.map((p) => p.rms), ps.map((p) => (p.rms > 0
      ? `${brief(p.rms)}, largest ${brief(p.largest)}; ${counted(p.size)} numbers${p.zeros > 0 ? `, ${counted(p.zeros)} of them without gradient` : ''}` : 'no gradient')));
    const grid = make('div', {class: 'heads'});
    content.append(grid);
    for (const p of ps.filter((q) => q.phases)) {
      const box = make('div', {class: 'head'}, make('b', {}, p.name));
      grid.append(box);
      rose(box, [{label: 'phases of the gradient', counts: p.phases, colour: runColour(0)}]);
    }
    if (!ps.some((p) => p.phases)) content.append(make('p', {class: 'hint'}, 'These parameters are real: their gradients have no phases.'));
  });
  bars(panel.body, places.map(written), places.map((p) => rms(of(p))), places.map((p) => `${brief(rms(of(p)))}, ${of(p).length} parameters`));
  panel.add(layers.bar, content);
  layers.start();
  return panel;
}

function samplesPanel(run) {
  const panel = new Panel('text', 'samples', 'Generated samples', null, true);
  if (run.task !== 'lm') return panel.leave();
  if (run.samples.none) return panel.say(run.samples.none);
  panel.add(make('p', {class: 'hint'}, `${run.label}, parameters of step ${counted(run.observed_step)}; bold: the prompt. Nucleus sampling, p = 0.9, seed 0.`));
  for (const {prompt, text} of run.samples) panel.add(make('p', {class: 'sample'}, make('b', {}, prompt), text));
  return panel.drew(run.samples.length);
}

/** The texts that the models of `argand demo` wrote, side by side. */
function drawWritings() {
  clear(document.getElementById('writings'));
  data.runs.forEach(({label, writing}, i) => {
    if (!writing) return;
    const panel = new Panel('writings', `writing-${i}`, label, writing.judgement);
    const paragraphs = writing.beginning.split(' <eos> ');
    panel.add(...paragraphs.map((text) => make('p', {class: 'sample', style: {borderColor: runColour(i)}}, text)));
    panel.drew(paragraphs.length);
  });
  hideWhenEmpty('writings');
}

function articlesPanel(run) {
  const panel = new Panel('text', 'articles', 'Articles and their predicted labels', null, true);
  if (run.task === 'lm') return panel.leave();
  if (run.articles.none) return panel.say(run.articles.none);
  panel.add(make('p', {class: 'hint'}, `${run.label}, parameters of step ${counted(run.observed_step)}: the first articles of the test part (or, without one, of the validation part), with the probability of each class.`));
  panel.add(colourKey(run.classes));
  for (const {text, label, probabilities} of run.articles) {
    const best = Object.entries(probabilities).reduce((a, b) => (b[1] > a[1] ? b : a))[0];
    const box = make('div', {class: 'article'}, make('p', {}, text),
      make('p', {class: 'verdict'}, best === label ? `✓ ${label}, labelled correctly (${percent(probabilities[best])})` : `✗ ${label}, labelled ${best} (${percent(probabilities[best])}; ${label} ${percent(probabilities[label])})`));
    panel.add(box);
    chart(box, 'bar', run.classes.map((name, c) => ({label: name, data: [probabilities[name]], backgroundColor: runColour(c), barPercentage: 1, categoryPercentage: 1})), {
      indexAxis: 'y',
      scales: {x: {stacked: true, min: 0, max: 1, display: false}, y: {stacked: true, display: false}},
      plugins: {tooltip: {callbacks: {title: () => '', label: (item) => ` ${item.dataset.label}: ${percent(item.raw)}`}}},
    }, '', ['']);
  }
  return panel;
}

function drawText() {
  clear(document.getElementById('text'));
  const run = chosenRun();
  phasesPanel(run);
  attentionPanel(run);
  windowsPanel(run);
  gradientsPanel(run);
  if (run.task === 'lm') {
    samplesPanel(run);
    articlesPanel(run);
  } else {
    articlesPanel(run);
    samplesPanel(run);
  }
}
