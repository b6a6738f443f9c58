// Breaks a PostgreSQL node, or heals it: each verb is a button that asks once more.
import { key } from './keys.js';
import { listen } from './say.js';

const dialog = document.getElementById('break'), said = document.getElementById('break-said');
let armed; // the button that has asked

function disarm() {
  if (armed) armed.textContent = armed.dataset.verb;
  armed = undefined;
}

async function press(button) {
  if (armed !== button) {
    disarm();
    armed = button;
    button.textContent = `${button.dataset.verb}: sure?`;
    return;
  }
  disarm();
  const { verb, of } = button.dataset;
  said.textContent = `${verb} ${of} ...\n`;
  for (const one of dialog.querySelectorAll('[data-verb]')) one.disabled = true;
  try {
    await listen(`/api/break/${verb}`, { node: of }, (text) => said.append(text));
  } catch (problem) {
    said.append(problem.message);
  }
  for (const one of dialog.querySelectorAll('[data-verb]')) one.disabled = false;
  button.focus();
}

export function breakNodes() {
  const open = () => {
    said.textContent = '';
    dialog.showModal();
  };
  key('b', open);
  document.getElementById('break-open').addEventListener('click', open);
  dialog.addEventListener('close', disarm);
  for (const button of dialog.querySelectorAll('[data-verb]')) button.addEventListener('click', () => press(button));
}
