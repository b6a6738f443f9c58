// Runs before the page is drawn, so that it never shows in the wrong colours first.
(() => {
  const order = ['', 'dark', 'light'];
  const says = { '': 'as the system has them', dark: 'dark', light: 'light' };
  const root = document.documentElement;
  // A browser may refuse to remember; then a choice lasts as long as the page.
  let chosen = '';
  try { chosen = localStorage.getItem('theme') ?? ''; } catch { /* as above */ }
  const wear = (theme) => {
    chosen = order.includes(theme) ? theme : '';
    if (chosen) root.dataset.theme = chosen;
    else delete root.dataset.theme;
    try { localStorage.setItem('theme', chosen); } catch { /* as above */ }
    const button = document.getElementById('theme');
    if (button) {
      button.setAttribute('aria-label', `Colours: ${says[chosen]}`);
      button.title = `Colours: ${says[chosen]} (d)`;
    }
    document.dispatchEvent(new Event('colours'));
  };
  wear(chosen);
  addEventListener('DOMContentLoaded', () => {
    wear(chosen);
    const next = () => order[(order.indexOf(chosen) + 1) % order.length];
    document.getElementById('theme')?.addEventListener('click', () => wear(next()));
  });
  const dark = matchMedia('(prefers-color-scheme: dark)');
  dark.addEventListener('change', () => document.dispatchEvent(new Event('colours')));
})();
