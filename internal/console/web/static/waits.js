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

function largest(events) {
  const sorted = [...events].filter((event) => event.share > 0).sort((a, b) => b.share - a.share);
  const rest = sorted.slice(shown).reduce((sum, event) => sum + event.share, 0);
  return rest > 0 ? [...sorted.slice(0, shown), { name: 'other', share: rest }] : sorted;
}

function bar({ node, events }) {
  const parts = largest(events);
  const stack = make('div', 'stack');
  stack.setAttribute('aria-hidden', 'true'); // the list below it says the same
  for (const { name, share } of parts) {
    const part = make('span', `part ${colourOf(name)}`, share > 0.12 ? percent(share) : '');
    part.style.flexGrow = share;
    part.style.flexBasis = '0';
    part.title = `${name} ${percent(share)}`;
    stack.append(part);
  }
  const items = parts.map(({ name, share }) => make('li', colourOf(name), `${name} ${percent(share)}`));
  const list = make('ul', '', ...items);
  return make('div', 'waits', make('p', 'of', node), stack, list);
}

let last;

export function waits(state) {
  const key = JSON.stringify([state.waits, state.load.state]);
  if (key === last) return;
  last = key;
  const all = state.waits ?? [];
  const busy = all.filter((of) => of.events?.length).map(bar);
  const why = ({ node, reason }) => make('p', 'empty', `${node}: ${reason}`);
  const blind = state.lock ? [] : all.filter((of) => of.reason).map(why);
  const nothing = state.lock ? 'Not measured while a lesson runs.' : 'No session is at work: nothing waits.';
  const content = busy.length || blind.length ? [...busy, ...blind] : [make('p', 'empty', nothing)];
  document.getElementById('waits').replaceChildren(...content);
}
