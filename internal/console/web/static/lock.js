// The banner while a lesson has the lab to itself, whoever started it.
import { attempt, post, say } from './say.js';
import { clock } from './format.js';

const banner = document.getElementById('lock');
const parts = ['.why', '.progress', '.watch', '.cancel'];
const [why, progress, watch, cancel] = parts.map((part) => banner.querySelector(part));
let was;

export const cancelLesson = () => attempt(() => post('/api/lessons/cancel'));

cancel.addEventListener('click', cancelLesson);

export function lock(state) {
  // The page of the lesson that runs has all of it.
  const here = state.lesson && location.pathname === `/lessons/${state.lesson.name}`;
  banner.hidden = !state.lock || here;
  if (why.textContent !== state.lock) why.textContent = state.lock;
  const lesson = state.lesson;
  for (const part of [progress, watch]) part.hidden = !lesson;
  cancel.hidden = !state.lock.startsWith('lesson '); // one from a terminal can be cancelled, too
  cancel.disabled = lesson?.state === 'cancelling';
  if (lesson) {
    progress.firstElementChild.max = lesson.of || 1;
    progress.firstElementChild.value = lesson.done;
    progress.lastElementChild.textContent = lesson.state === 'cancelling' ? 'cancelling, the cell under way is given up'
      : `${lesson.done} of ${lesson.of}, about ${clock(lesson.seconds_left)} left`;
    watch.href = `/lessons/${lesson.name}`;
  }
  if (was !== undefined && was !== state.lock) say(state.lock || 'The lab is free again: links can be swapped.');
  was = state.lock;
}
