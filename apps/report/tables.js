// Tables of the runs' results and settings.

function bestOf(run) {
  if (!run.best) return 'not validated yet';
  const bits = typeof run.best.bits_per_byte === 'number' ? `, ${run.best.bits_per_byte.toFixed(3)} bits per byte` : '';
  const value = run.task === 'lm' ? `perplexity ${Math.exp(run.best.value).toFixed(2)} (loss ${run.best.value.toFixed(4)}${bits})` : `accuracy ${percent(run.best.value)}`;
  return `${value} at step ${counted(run.best.step)}`;
}

function drawRuns() {
  const place = document.getElementById('runs');
  clear(place);
  const panel = new Panel('runs', 'facts', data.runs.length === 1 ? 'The run' : 'The runs', null, true);
  const headings = ['run', 'family', 'task', 'parameters', 'steps', 'training time', 'tokens', 'best validation', 'seed'];
  const numbers = new Set(['parameters', 'steps', 'training time', 'tokens', 'seed']);
  const cell = (name, ...content) => make('td', {class: numbers.has(name) ? 'number' : null}, ...content);
  const rows = data.runs.map((run, i) => {
    const end = run.clock.step.length - 1;
    return make('tr', {},
      cell('run', make('i', {style: {background: runColour(i)}}), run.label), cell('family', make('span', {title: run.title}, run.family)), cell('task', run.task === 'lm' ? 'language model' : `${run.classes.length} classes`),
      cell('parameters', counted(run.parameters)), cell('steps', `${counted(run.step)} of ${counted(run.steps)}`),
      cell('training time', end < 0 ? '-' : duration(run.clock.seconds[end])), cell('tokens', end < 0 ? '-' : counted(run.clock.tokens[end])),
      cell('best validation', bestOf(run)), cell('seed', String(run.seed)));
  });
  panel.add(make('div', {class: 'scroll'}, make('table', {class: 'runs-table'},
    make('thead', {}, make('tr', {}, ...headings.map((name) => make('th', {class: numbers.has(name) ? 'number' : null}, name)))), make('tbody', {}, ...rows))));
  const remarks = data.runs.flatMap((run) => [
    run.step < run.steps ? `${run.label} has not taken all its steps: it is still training, or was stopped.` : null,
    ...(run.changes || []).map((change) => `${run.label} continued with ${change}.`),
    run.unreadable > 0 ? `${run.unreadable} lines of the log of ${run.label} could not be read and are left out.` : null,
  ]).filter(Boolean);
  panel.add(make('p', {class: 'hint'}, ['Training time covers the steps alone, without validation. A complex parameter counts twice.', ...remarks].join(' ')));
  panel.drew(rows.length);
}

function drawSettings() {
  clear(document.getElementById('settings'));
  const panel = new Panel('settings', 'config', 'Resolved configuration', null, true);
  const several = data.runs.length > 1;
  const table = make('table', {class: 'settings-table'});
  if (several) {
    const only = make('input', {type: 'checkbox', onchange: () => table.classList.toggle('only-differences', only.checked)});
    panel.add(make('div', {class: 'choices'}, make('label', {}, only, ' only differences')));
  }
  table.append(make('thead', {}, make('tr', {}, make('th', {}, ''), ...data.runs.map((run) => make('th', {}, run.label)))));
  const rows = new Map();  // maps "section.key" to the runs' values
  data.runs.forEach((run, i) => run.settings.forEach(([section, key, value]) => {
    const name = `${section}.${key}`;
    if (!rows.has(name)) rows.set(name, {section, key, values: data.runs.map(() => null)});
    rows.get(name).values[i] = value;
  }));
  const sections = [...new Set([...rows.values()].map((row) => row.section))];
  const body = make('tbody');
  for (const section of sections) {
    body.append(make('tr', {class: 'section'}, make('th', {colspan: data.runs.length + 1}, section)));
    for (const {key, values} of [...rows.values()].filter((row) => row.section === section)) {
      const differs = values.some((value) => value !== values[0]);
      body.append(make('tr', {class: differs ? 'differs' : null}, make('th', {scope: 'row'}, key), ...values.map((value) => make('td', {}, value === null ? '–' : value === '' ? '(none)' : value))));
    }
  }
  table.append(body);
  panel.add(make('div', {class: 'scroll'}, table));
  panel.drew(rows.size);
}
