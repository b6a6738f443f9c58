// Keeps the map up to date, and has its links chosen by pointer and keyboard. What stands on it the server says.

const note = document.getElementById('map-note');
const states = ['slow', 'cut', 'off', 'busy', 'words'];

const setText = (element, text) => {
  if (element.textContent !== text) element.textContent = text;
};
const setAttribute = (element, name, value) => {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
};

export function paintMap(drawn, chosen) {
  for (const link of drawn.links) {
    for (const element of document.querySelectorAll(`[data-link="${CSS.escape(link.name)}"]`)) {
      paintLink(element, link, chosen === 'all' || chosen === link.name);
    }
  }
  for (const box of drawn.boxes) {
    for (const element of document.querySelectorAll(`[data-node="${CSS.escape(box.name)}"]`)) paintBox(element, box);
  }
  note.hidden = !drawn.note;
  setText(note, drawn.note);
}

function paintLink(element, link, chosen) {
  const now = link.class.split(' ');
  for (const state of states) element.classList.toggle(state, now.includes(state));
  element.classList.toggle('chosen', chosen);
  setText(element.querySelector('.measured'), link.measured);
  setText(element.querySelector('.set'), link.set);
  setAttribute(element, 'aria-pressed', String(chosen));
  setAttribute(element, 'aria-label', link.label);
  const hint = element.querySelector('title');
  if (hint) setText(hint, link.hint);
}

function paintBox(element, box) {
  setAttribute(element, 'data-state', box.state);
  setText(element.querySelector('.role'), box.role);
  const lines = element.querySelector('.lines');
  const key = JSON.stringify(box.lines);
  if (lines.dataset.key === key) return;
  lines.dataset.key = key;
  // All of them, for those that have no room in their box.
  lines.title = box.lines.map(({ number, text }) => `${number} ${text}`.trim()).join('\n');
  lines.replaceChildren(...box.lines.map(lineOf));
}

// lineOf makes a line of text, which may begin with a large number, or a bar.
function lineOf({ number, text, bar, alert }) {
  if (bar) {
    const progress = document.createElement('progress');
    progress.max = bar.of;
    progress.value = bar.used;
    progress.setAttribute('aria-label', text);
    return progress;
  }
  const p = document.createElement('p');
  p.classList.toggle('alerting', alert);
  if (number) {
    const b = document.createElement('b');
    b.textContent = number;
    p.append(b, ' ');
  }
  p.append(text);
  return p;
}

export function chooseOnMap(choose) {
  for (const element of document.querySelectorAll('[data-link]')) {
    element.addEventListener('click', () => choose(element.dataset.link));
    if (element.tagName === 'BUTTON') continue; // its keys click it
    element.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' && event.key !== ' ') return;
      event.preventDefault();
      choose(element.dataset.link);
    });
  }
}
