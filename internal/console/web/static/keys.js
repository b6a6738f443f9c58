// Single keys. They act nowhere in a field that takes letters, and can be switched off.

const acts = new Map();
let prefix = '';

// key has a key, or two one after the other ("g m"), do something.
export const key = (name, act) => acts.set(name, act);

const go = (address) => () => location.assign(address);

function wanted() {
  try { return localStorage.getItem('keys') !== 'off'; } catch { return true; }
}

function pressed(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
  const at = event.target;
  const letters = at.matches?.('textarea, select, input:not([type=range]):not([type=checkbox]):not([type=radio])');
  const digits = at.matches?.('input[type=range]') && /^(Arrow|Home|End|Page)/.test(event.key);
  if (letters || digits || (document.querySelector('dialog[open]') && event.key !== '?')) return;
  const name = `${prefix}${event.key}`;
  prefix = event.key === 'g' && !prefix ? 'g ' : '';
  if (!acts.has(name) || (!wanted() && name !== '?')) return;
  event.preventDefault();
  acts.get(name)();
}

export function keys() {
  const list = document.getElementById('keys'), on = document.getElementById('keys-on');
  const toggle = () => (list.open ? list.close() : list.showModal());
  key('?', toggle);
  key('d', () => document.getElementById('theme').click());
  key('g m', go('/'));
  key('g l', go('/lessons'));
  key('g r', go('/runs'));
  document.getElementById('help').addEventListener('click', toggle);
  on.checked = wanted();
  on.addEventListener('change', () => {
    try { localStorage.setItem('keys', on.checked ? 'on' : 'off'); } catch { /* lasts as long as the page */ }
  });
  addEventListener('keydown', pressed);
}
