// Two runs ticked can be seen side by side, the older one first.
import './reading.js';

const form = document.getElementById('beside');

if (form) {
  const button = document.getElementById('together'), says = document.getElementById('chosen');
  const ticked = () => [...form.querySelectorAll('input[name=run]:checked')].map((box) => box.value);
  const look = () => {
    const n = ticked().length;
    button.disabled = n !== 2;
    says.textContent = ['none chosen', 'one chosen: one more', ''][n] ?? `${n} chosen: two can stand side by side`;
  };
  form.addEventListener('change', look);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const [newer, older] = ticked();
    location.assign(`/runs/${older}/beside/${newer}`);
  });
  look();
}
