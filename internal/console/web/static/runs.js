// Two runs ticked can be seen side by side, the older one first.
import './reading.js';

const form = document.getElementById('beside');

if (form) {
  const button = document.getElementById('together'), says = document.getElementById('chosen');
  const boxes = () => [...form.querySelectorAll('input[name=run]:checked')];
  const ticked = () => boxes().map((box) => box.value);
  const look = () => {
    const n = ticked().length, lessons = new Set(boxes().map((box) => box.dataset.lesson));
    button.disabled = n !== 2 || lessons.size !== 1;
    says.textContent = lessons.size > 1 ? `of ${[...lessons].join(' and ')}: choose two of one lesson`
      : ['none chosen', 'one chosen: one more of its lesson', ''][n] ?? `${n} chosen: two can stand side by side`;
  };
  form.addEventListener('change', look);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const [newer, older] = ticked();
    location.assign(`/runs/${older}/beside/${newer}`);
  });
  look();
}
