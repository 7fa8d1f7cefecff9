// The bar at the top of the page, and the redrawing that its controls trigger.

function drawLegend() {
  document.getElementById('legend').replaceChildren(...data.runs.map((run, i) => {
    const chip = make('button', {type: 'button', class: 'run-chip', 'aria-pressed': !shown.hidden.has(i), onclick: () => {
      if (!shown.hidden.delete(i)) shown.hidden.add(i);
      chip.setAttribute('aria-pressed', !shown.hidden.has(i));
      drawTraining();
    }}, make('i', {style: {background: runColour(i)}}), run.label);
    return chip;
  }));
}

function drawDetails() {
  for (const place of document.querySelectorAll('.of-run')) place.textContent = data.runs.length > 1 ? `(${chosenRun().label})` : '';
  drawFamily();
  hideWhenEmpty('family');
  drawText();
}

function drawAll() {
  setDefaults();
  drawLegend();
  drawRuns();
  drawTraining();
  drawWritings();
  drawDetails();
  drawSettings();
}

function choose(element, options, listen) {
  element.append(...options.map(([value, text]) => make('option', {value}, text)));
  element.addEventListener('change', () => listen(element.value));
}

choose(document.getElementById('axis'), [['steps', 'steps'], ['time', 'training time'], ['tokens', 'tokens']], (value) => {
  shown.axis = value;
  drawTraining();
  drawFamily();
  hideWhenEmpty('family');
});
choose(document.getElementById('run'), data.runs.map((run, i) => [i, run.label]), (value) => {
  shown.run = Number(value);
  drawTraining();
  drawDetails();
});
document.getElementById('run-choice').hidden = data.runs.length === 1;
document.querySelector('h1').textContent = data.title ?? 'argand report';
document.getElementById('about').textContent = data.about ?? `${data.runs.length === 1 ? data.runs[0].path : `${data.runs.length} runs`}, shown by ${data.version}`;
document.title = `${data.title ?? 'argand report'}: ${data.runs.map((run) => run.label).join(', ')}`;

// The address report.html#run=1 selects the second run (they are counted from 0).
const asked = Number(new URLSearchParams(location.hash.slice(1)).get('run'));
if (asked > 0 && asked < data.runs.length) {
  shown.run = asked;
  document.getElementById('run').value = asked;
}

/** Everything that the page shows about a run's parameters, as one string; a change in it triggers a redraw. */
const parametersOf = (run) => JSON.stringify([run.observed_step, run.history?.steps, run.samples, run.articles, run.text]);

function drawNew(fresh) {
  const main = document.querySelector('main'), before = parametersOf(chosenRun());
  main.style.minHeight = `${main.offsetHeight}px`;  // keeps the scroll position while the page is redrawn
  data = fresh;
  drawRuns();
  drawTraining();
  if (parametersOf(chosenRun()) !== before) drawDetails();
  main.style.minHeight = '';
}

/** Polls the server of `argand report --follow` for new data and draws them. */
async function follow() {
  const state = document.getElementById('live');
  state.hidden = false;
  for (let updates = 0; ; ) {
    const steps = data.runs.map((run) => `${counted(run.step)} of ${counted(run.steps)}`).join(', ');
    state.textContent = `live: step ${steps}, at ${new Date().toLocaleTimeString()}`;
    await new Promise((resolve) => setTimeout(resolve, 2000));
    try {
      const answer = await fetch(`data?since=${data.live}`);
      if (!answer.ok) throw new Error(await answer.text());
      if (answer.status === 200) {
        drawNew(await answer.json());
        document.documentElement.dataset.updates = ++updates;
      }
    } catch (error) {
      state.textContent = `no more updates after step ${steps}: the server has ended (${error.message})`;
      return;
    }
  }
}

drawAll();
if (data.live) follow();
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAll);
