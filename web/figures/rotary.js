"use strict";
// Queries and keys are rotated by their positions, each component at its own speed; the score depends only on their distance.

live("rotary", (figure) => {
  const N = 8, omega = Array.from({ length: N }, (_, j) => 5000 ** (-j / N));
  /** 200/√16 Σ cos((m + a − s) ω): the score of the head set by hand in examples/09_attention_by_hand.cpp. */
  const score = (ahead, m, s) => 50 * omega.reduce((sum, w) => sum + Math.cos((m + ahead - s) * w), 0);
  const dials = figure.row("dials"), planes = omega.map((w, j) => {
    const plane = figure.plane(dials, `component ${j}`, 1.25);
    plane.below.textContent = "ω = " + real(w, 2);
    return plane;
  });
  const row = figure.row(), last = 16, chart = figure.chart(row, "Score of each key position",
    { from: -0.6, to: last + 0.6, ticks: [0, 4, 8, 12, 16], name: "position of the key" }, { from: 150, to: 430, ticks: [200, 300, 400], name: "score" });
  let guess = 10;
  chart.grip({ label: "your guess of the best key position", kind: "guess", at: () => [guess, 400], when: () => !figure.shown, step: [1, 0], move: (z) => (guess = clamp(Math.round(z[0]), 0, last)) });
  chart.grip({ label: "the position of the key", kind: "b", at: () => [key.value, score(ahead.selectedIndex, query.value, key.value)], when: () => figure.shown, step: [1, 0],
    text: (z) => "position " + z[0], move: (z) => (key.value = clamp(Math.round(z[0]), 0, last)) });
  const controls = figure.controls("always"), query = figure.slider(controls, "position of the query", { min: 0, max: last, step: 1, value: 5 });
  const key = figure.slider(controls, "of the key", { min: 0, max: last, step: 1, value: 0 });
  const ahead = figure.select(controls, "phase in the weight", ["none", "ω: “look”", "2ω: “leap”"]);
  ahead.selectedIndex = 1;

  figure.predict({
    ask: "The query (blue) is at position 5, and its weight rotates it by one more ω. A key (orange) at position s is rotated by sω. At which position does a key score highest? Drag the ring there; move the key and watch the dials.",
    check: (k) => {
      key.value = 6;
      return [k < 0 ? null : guess === 6, "At 6 all eight pairs point the same way: with this phase in its weight, the query reads the next word. Move the query, and the peak moves with it."];
    },
  });

  figure.draw = () => {
    const m = query.value, s = key.value, a = ahead.selectedIndex;
    for (const [j, plane] of planes.entries()) {
      plane.layer.replaceChildren();
      plane.path(around(48, turnOf), "line axis", true);
      plane.arrow([0, 0], turnOf(s * omega[j]), "b");
      plane.arrow([0, 0], scaled(turnOf((m + a) * omega[j]), 0.8), "a");
      plane.describe(`component ${j}: the query at ${real((m + a) * omega[j], 3)} radians, the key at ${real(s * omega[j], 3)}`);
    }
    chart.clear();
    for (let place = 0; place <= last; ++place)
      if (figure.shown) chart.path([[place, 150], [place, score(a, m, place)]], "line bar " + (place === s ? "b" : place === m + a ? "a" : "axis"));
      else if (place === s) chart.words("?", [place, 200]);
    if (figure.shown) chart.words("query", [m, 150], "a", { dy: -4 });
    figure.score = score;
    figure.values = { score: score(a, m, s) };
    figure.say(figure.shown ? `The key at ${s} scores ${score(a, m, s).toFixed(1)}, the best possible 400; only the distance counts: ${s} − ${m} = ${s - m}.` : "");
    chart.describe(figure.shown ? figure.said.textContent : "Seventeen positions for a key, their scores hidden");
  };
});
