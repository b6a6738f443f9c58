// One lesson: a prediction that is committed to before the results show, and the run. Its page shows both side by side.
import { attempt, post, say, trouble } from './say.js';
import { clock } from './format.js';
import { cancelLesson, lock } from './lock.js';
import { follow } from './events.js';
import { guesses, guessing } from './guess.js';
import { keys } from './keys.js';

const $ = (id) => document.getElementById(id);
const form = $('guess'), name = $('main').dataset.lesson;

let asking = false;
let earlier; // when the lesson before the one that this page waits for had ended, undefined before the first update

const remembered = `prediction ${name}`;
const remember = (text) => { try { sessionStorage.setItem(remembered, text); } catch { /* only a reminder */ } };
const recall = () => { try { return sessionStorage.getItem(remembered) ?? ''; } catch { return ''; } };

async function run(prediction) {
  asking = true;
  const started = await attempt(() => post(`/api/lessons/${name}/run`, { prediction }));
  asking = false;
  if (!started) return;
  remember(prediction?.words ? `You said: “${prediction.words}”` : '');
  show('under-way');
  $('under-way-title').focus();
  say('The lesson runs.');
}

// show has one of the page's two parts seen: the prediction or the run.
function show(part) {
  for (const id of ['predict', 'under-way']) $(id).hidden = id !== part;
}

function progress(lesson) {
  if ($('under-way').hidden) show('under-way');
  $('left').textContent = lesson.of ? clock(lesson.seconds_left) : '-:--';
  $('done').max = lesson.of || 1;
  $('done').value = lesson.done;
  $('cell').textContent = [
    `${lesson.done} of ${lesson.of}`,
    lesson.failed > 0 && `${lesson.failed} failed`,
    lesson.cell,
    lesson.pair,
    lesson.elsewhere && 'started from a terminal',
  ].filter(Boolean).join(' · ');
  $('mine').textContent = recall();
  $('cancel').disabled = lesson.state === 'cancelling';
  $('under-way-title').textContent = lesson.state === 'cancelling' ? 'Cancelling' : 'Running';
}

function look(state) {
  lock(state);
  if (state.lesson?.name === name) {
    earlier ??= state.last_run?.ended ?? 'none'; // the page may have been opened meanwhile
    progress(state.lesson);
    return;
  }
  for (const button of form.querySelectorAll('button')) button.disabled = Boolean(state.lock) || asking;
  if (asking) return;
  const last = state.last_run?.ended ?? 'none';
  if ($('under-way').hidden || earlier === undefined) earlier = last;
  else if (!state.lesson && last !== earlier) ended(state.last_run);
}

// ended shows what came out of the run that this page waited for.
function ended(last) {
  if (last?.lesson === name && last.run) {
    location.assign(`/runs/${encodeURIComponent(last.run)}`);
    return;
  }
  show('predict');
  trouble(last?.reason || 'The run ended before it began.');
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  run(guesses(form));
});
$('without').addEventListener('click', () => run(null));
$('cancel').addEventListener('click', cancelLesson);
guessing(form);
keys();
follow(({ state }) => look(state));
