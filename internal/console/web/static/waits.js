// What the servers' sessions wait for, as one bar a node; the colours are the reports'.

const own = { CPU: 's3', 'Net/Delay': 's6', 'Client:ClientRead': 's2', 'Client:ClientWrite': 's5' };
const free = ['s1', 's4', 's7', 's8'];
const shown = 7;
const given = new Map(Object.entries(own));

// colourOf gives an event the same colour for as long as the page lives.
function colourOf(name) {
  if (name === 'other') return 's0';
  if (!given.has(name)) given.set(name, free[(given.size - 4) % free.length]);
  return given.get(name);
}

function make(tag, classes, ...content) {
  const element = document.createElement(tag);
  if (classes) element.className = classes;
  element.append(...content);
  return element;
}

const percent = (share) => (share < 0.005 ? '<1 %' : `${Math.round(100 * share)} %`);

// largest are the first of them, as they come, and one for the rest.
function largest(all) {
  const rest = all.slice(shown).reduce((sum, { share }) => sum + share, 0);
  return rest > 0 ? [...all.slice(0, shown), { event: 'other', share: rest }] : all;
}

function bar({ service, events }) {
  const parts = largest(events);
  const stack = make('div', 'stack');
  stack.setAttribute('aria-hidden', 'true'); // the list below it says the same
  for (const { event, share } of parts) {
    const part = make('span', `part ${colourOf(event)}`, share > 0.12 ? percent(share) : '');
    part.style.flexGrow = share;
    part.style.flexBasis = '0';
    part.title = `${event} ${percent(share)}`;
    stack.append(part);
  }
  const items = parts.map(({ event, share }) => make('li', colourOf(event), `${event} ${percent(share)}`));
  const list = make('ul', '', ...items);
  return make('div', 'waits', make('p', 'of', service), stack, list);
}

let last;

export function waits(state) {
  const all = state.waits.map((of) => ({ service: of.service, events: of.waits ?? [], reason: of.not_measured }));
  const key = JSON.stringify([all, state.lock]);
  if (key === last) return;
  last = key;
  const busy = all.filter(({ events }) => events.length).map(bar);
  const why = ({ service, reason }) => make('p', 'empty', `${service}: ${reason}`);
  const blind = state.lock ? [] : all.filter(({ reason }) => reason).map(why);
  const nothing = state.lock ? 'Not measured while a lesson runs.' : 'No session is at work: nothing waits.';
  const content = busy.length || blind.length ? [...busy, ...blind] : [make('p', 'empty', nothing)];
  document.getElementById('waits').replaceChildren(...content);
}
