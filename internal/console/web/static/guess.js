// Guesses are ratios: a slider's middle is 'no difference', its ends are 1/20 and 20 times.

const reach = 20;

// nice is a ratio of two digits: 7.4, 0.13, 20.
const nice = (ratio) => Number(ratio.toPrecision(2));

const ratioOf = (slider) => nice(reach ** (slider.value / 40));

function words(ratio) {
  if (ratio === 1) return 'no difference';
  return ratio > 1 ? `${ratio} times as much` : `${ratio} times: 1/${nice(1 / ratio)}`;
}

export function guessing(form) {
  for (const row of form.querySelectorAll('.guess')) {
    const slider = row.querySelector('input'), says = row.querySelector('output');
    const made = () => {
      row.classList.add('made');
      says.textContent = words(ratioOf(slider));
      slider.setAttribute('aria-valuetext', says.textContent);
    };
    slider.addEventListener('input', made);
    slider.addEventListener('pointerup', made); // 'no difference' is a guess without a move
    slider.addEventListener('keydown', (event) => { if (event.key === 'Enter') { event.preventDefault(); made(); } });
  }
}

// guesses are what was committed to; null where nothing was.
export function guesses(form) {
  const comparisons = {};
  for (const row of form.querySelectorAll('.guess.made')) {
    comparisons[row.dataset.comparison] = ratioOf(row.querySelector('input'));
  }
  const words_ = form.elements.words.value.trim(), path = form.elements.path?.value ?? '';
  const factor = Number(form.elements.factor?.value) || null;
  if (!words_ && !path && !factor && !Object.keys(comparisons).length) return null;
  return { words: words_, path, factor, comparisons };
}
