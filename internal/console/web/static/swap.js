// The swap panel: what is moved, typed or pressed here is set on the chosen link at once.
import { attempt, post, say } from './say.js';
import { bandwidth, brief, ms } from './format.js';

const pause = 100; // ms between two requests while the slider moves
const patience = 2000; // ms that a slider keeps what was chosen, until the state has it, too

const $ = (id) => document.getElementById(id);
const stops = [...$('dial-stops').options].map((option) => Number(option.label)); // milliseconds
const which = $('link'), dial = $('dial'), dialText = $('dial-text'), exact = $('exact');

let state, wanted, sending = false, heldUntil = 0;

export const chosen = () => which.value;
const all = () => which.value === 'all';
const links = () => state?.links.filter((link) => all() || link.name === which.value) ?? [];
const address = (act = '') => `/api/links/${encodeURIComponent(which.value)}${act}`;
const name = () => (all() ? 'all links' : which.value);
const apart = (stop, value) => Math.abs(stop - value);
const closer = (value) => (best, stop, i) => (apart(stop, value) < apart(stops[best], value) ? i : best);
const nearest = (value) => stops.reduce(closer(value), 0);

function tell(text, unit = 'ms') {
  dialText.replaceChildren(text);
  if (unit) {
    const small = document.createElement('small');
    small.textContent = ` ${unit}`;
    dialText.append(small);
  }
}

// send asks for the newest latency that the slider stood at; those in between are left out.
async function send() {
  if (sending) return;
  sending = true;
  while (wanted !== undefined) {
    const { to, latency_ms } = wanted; // the link that the slider was moved for, whichever is chosen by now
    wanted = undefined;
    if (!await attempt(() => post(to, { latency_ms }))) heldUntil = 0;
    await new Promise((done) => { setTimeout(done, pause); });
  }
  sending = false;
}

function moved() {
  const latency = stops[dial.value];
  wanted = { to: address(), latency_ms: latency };
  heldUntil = Date.now() + patience;
  tell(String(latency));
  dial.setAttribute('aria-valuetext', `${latency} milliseconds on ${name()}`);
  send();
}

// ask sends one change and says what was done; the slider follows the state.
async function ask(act, body, said) {
  heldUntil = 0;
  if (!await attempt(() => post(address(act), body))) return;
  exact.dataset.typed = '';
  say(`${name()}: ${said}`);
}

// nothing takes everything off, a cut too.
async function nothing() {
  if (links().some((link) => link.cut)) await restore();
  await ask('', { latency_ms: 0, jitter_ms: 0, down_kbps: 0, up_kbps: 0 }, 'nothing added');
}

const cut = () => ask('/cut', {}, 'cut');
const restore = () => ask('/restore', {}, 'restored');
const toggleCut = () => (links().length && links().every((link) => link.cut) ? restore() : cut());
const reset = () => ask('/reset', {}, 'connections ended, new ones come through');

export const swapKeys = { nothing, toggleCut, reset, slider: () => dial.focus() };

export function choose(link) {
  if (![...which.options].some((option) => option.value === link)) return;
  which.value = link;
  which.dispatchEvent(new Event('change'));
}

export const chooseNth = (n) => { if (state?.links[n]) choose(state.links[n].name); };

function options(names) {
  if (names.join() === [...which.options].map((option) => option.value).join()) return;
  const before = which.value;
  which.replaceChildren(...names.map((value) => new Option(value === 'all' ? 'all links' : value, value)));
  choose(names.includes(before) ? before : names[0]);
}

// describe says of the chosen link what the map has no room for.
function describe(of) {
  if (all()) return `${of.length} links; ${of.filter((link) => link.cut).length || 'none'} cut`;
  const [link] = of;
  const reason = link.off || brief(link.reason) || (link.cut ? 'cut' : 'no answer yet');
  return [
    link.measured_ms == null ? `not measured: ${reason}` : `measured ${ms(link.measured_ms)}`,
    link.jitter_ms > 0 && `jitter ±${link.jitter_ms} ms`,
    bandwidth(link),
    link.others && 'someone else\'s faults are on it, too',
    link.replication && `replication goes ${link.replication}`,
    link.host_port > 0 && `your own client: 127.0.0.1:${link.host_port}`,
  ].filter(Boolean).join(' · ');
}

const same = (of, field) => (of.every((link) => link[field] === of[0][field]) ? of[0][field] : undefined);

export function paintSwap(now) {
  state = now;
  options([...now.links.map((link) => link.name), 'all']);
  const of = links();
  if (!of.length) return;
  const text = describe(of);
  if ($('link-text').textContent !== text) $('link-text').textContent = text;
  const latency = same(of, 'latency_ms');
  if (Date.now() > heldUntil || (wanted === undefined && latency === stops[dial.value])) {
    if (latency === undefined) tell('mixed', '');
    else tell(String(latency));
    dial.value = nearest(latency ?? 0);
    const text = latency === undefined ? 'the links differ' : `${latency} milliseconds on ${name()}`;
    dial.setAttribute('aria-valuetext', text);
  }
  fill(of);
  const locked = Boolean(now.lock) || !now.toxiproxy.up;
  for (const control of document.querySelectorAll('#swap :is(input, button)')) control.disabled = locked;
  if (!locked) {
    $('cut').disabled = of.every((link) => link.cut);
    $('restore').disabled = of.every((link) => !link.cut);
  }
  for (const button of document.querySelectorAll('[data-preset]')) {
    button.setAttribute('aria-pressed', String(of.every((link) => matches(link, presetOf(button)))));
  }
}

const settings = ['latency_ms', 'jitter_ms', 'down_kbps', 'up_kbps'];
const matches = (link, preset) => preset.latency_ms > 0 && settings.every((field) => link[field] === preset[field]);

// presetOf is what a preset's button stands for.
const presetOf = ({ dataset }) => Object.fromEntries(settings.map((field) => [field, Number(dataset[field])]));

// fill shows in the form what the link has, unless someone is typing there.
function fill(of) {
  if (exact.dataset.typed) return;
  for (const field of settings) {
    const value = same(of, field), input = exact.elements[field];
    input.value = value === undefined || (value === 0 && field.endsWith('kbps')) ? '' : value;
    input.placeholder = value === undefined ? 'mixed' : field.endsWith('kbps') ? 'no limit' : '';
  }
}

function typed() {
  const body = {};
  for (const field of settings) {
    const { value, placeholder } = exact.elements[field];
    if (value !== '' || placeholder === 'no limit') body[field] = Number(value); // what is mixed stays so
  }
  return body;
}

export function swap(onChoose) {
  dial.addEventListener('input', moved);
  which.addEventListener('change', () => {
    heldUntil = 0;
    exact.dataset.typed = '';
    exact.reset();
    if (state) paintSwap(state);
    onChoose(which.value);
  });
  exact.addEventListener('input', () => {
    exact.dataset.typed = 'yes';
  });
  exact.addEventListener('submit', (event) => {
    event.preventDefault();
    ask('', typed(), 'set');
  });
  exact.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    exact.dataset.typed = '';
    document.activeElement.blur();
    paintSwap(state);
  });
  $('presets').addEventListener('click', ({ target }) => {
    const button = target.closest('button');
    if (button?.dataset.preset) ask('', presetOf(button), button.dataset.preset);
    else if (button) nothing();
  });
  $('cut').addEventListener('click', cut);
  $('restore').addEventListener('click', restore);
  $('reset').addEventListener('click', reset);
}
