// The live load: chosen in a form, started and stopped, and said in a line how it stands.
import { attempt, post, say } from './say.js';
import { count } from './format.js';

const $ = (id) => document.getElementById(id);
const form = $('load-form'), start = $('load-start'), stop = $('load-stop');
const first = ['direct', 'pgbouncer-transaction']; // chosen for who has chosen nothing

let state, touched = false, asking = false;

const paths = () => [...form.querySelectorAll('[name=paths]:checked')].map((box) => box.value);
const on = ({ load }) => ['starting', 'running', 'paused'].includes(load.state);

async function startLoad() {
  if (!paths().length) {
    $('load-choice').open = true;
    await attempt(() => { throw new Error('Choose a path that the load should take.'); });
    return;
  }
  if (!form.checkValidity()) {
    $('load-choice').open = true; // what is wrong must be seen
    form.reportValidity();
    return;
  }
  const fields = form.elements;
  asking = true;
  const body = {
    workload: fields.workload.value,
    clients: Number(fields.clients.value),
    paths: paths(),
    loop: fields.loop.value,
    keep: fields.keep.value === 'yes',
  };
  if (await attempt(() => post('/api/load', body))) {
    touched = false;
    $('load-choice').open = false;
    say(`Live load starts: ${body.workload}, ${count(body.clients, 'client')} on ${body.paths.join(', ')}`);
  }
  asking = false;
}

async function stopLoad() {
  if (await attempt(() => post('/api/load/stop'))) say('Live load stops');
}

export const toggleLoad = () => (state && on(state) ? stopLoad() : startLoad());

// choices fills the form with what runs, unless someone is choosing.
function choices({ load }) {
  if (touched || asking) return;
  const chosen = load.paths?.length ? load.paths : first;
  for (const box of form.querySelectorAll('[name=paths]')) box.checked = !box.disabled && chosen.includes(box.value);
  if (!load.workload) return;
  form.elements.workload.value = load.workload;
  form.elements.clients.value = load.clients;
  form.elements.loop.value = load.loop;
  form.elements.keep.value = load.keep ? 'yes' : 'no';
}

function explain() {
  const { meaning, rate } = form.elements.workload.selectedOptions[0].dataset;
  $('workload-text').textContent = meaning;
  $('rate-text').textContent = rate;
}

export function paintLoad(now) {
  state = now;
  const { load } = now;
  $('load').dataset.state = load.state;
  if ($('load-text').textContent !== load.text) $('load-text').textContent = load.text;
  choices(now);
  explain();
  const locked = Boolean(now.lock);
  start.textContent = on(now) ? 'Change' : 'Start';
  start.hidden = on(now) && !touched;
  stop.hidden = !on(now);
  for (const control of [start, stop]) control.disabled = locked || load.state === 'stopping';
}

export function load() {
  form.addEventListener('input', () => {
    touched = true;
    if (state) paintLoad(state);
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    startLoad();
  });
  $('load-choice').addEventListener('keydown', ({ key, currentTarget }) => {
    if (key !== 'Escape') return;
    currentTarget.open = false;
    currentTarget.querySelector('summary').focus();
  });
  start.addEventListener('click', startLoad);
  stop.addEventListener('click', stopLoad);
}
