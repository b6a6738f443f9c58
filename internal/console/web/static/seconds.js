// The table of the last second, by path: large, since it is what the back row reads. It is the charts' legend, too.
import { colourClass } from './colours.js';
import { number, whole } from './format.js';

const box = document.getElementById('seconds');
const body = box.querySelector('tbody');
const classes = ['tps', 'p50', 'p95', 'connect', 'errors'];

function row(path) {
  const tr = document.createElement('tr');
  tr.dataset.path = path;
  tr.className = colourClass(path);
  const th = document.createElement('th');
  th.scope = 'row';
  th.textContent = path;
  tr.append(th, ...classes.map((name) => Object.assign(document.createElement('td'), { className: name })));
  return tr;
}

function fill(tr, second) {
  const texts = second
    ? [whole(second.tps), time(second.p50_ms), time(second.p95_ms), time(second.connect_ms), whole(second.errors)]
    : classes.map(() => '-');
  texts.forEach((text, i) => {
    const cell = tr.cells[i + 1];
    if (cell.textContent !== text) cell.textContent = text;
  });
  const errors = tr.querySelector('.errors');
  errors.classList.toggle('bad', second?.errors > 0);
  if (!second?.errors || !second.codes) return;
  const small = document.createElement('small');
  small.textContent = codes(second.codes);
  errors.append(small);
}

const time = (value) => (value == null ? '-' : number(value));

// codes are which errors, most frequent first.
const codes = (all) => Object.entries(all)
  .sort((a, b) => b[1] - a[1])
  .slice(0, 2)
  .map(([code]) => code)
  .join(', ');

let last = []; // paths, whose curves are still to be seen when the load has ended

export function paintSeconds(state, seconds) {
  const active = ['running', 'starting', 'paused'].includes(state.load.state);
  if (active) last = state.load.paths;
  const shown = active || !document.getElementById('charts').classList.contains('bare') ? last : [];
  box.hidden = !shown.length;
  box.classList.toggle('kept', state.load.keep); // nothing connects there, so there is no column for it
  if (shown.join() !== [...body.rows].map((tr) => tr.dataset.path).join()) body.replaceChildren(...shown.map(row));
  for (const tr of body.rows) fill(tr, seconds?.[tr.dataset.path]);
}
