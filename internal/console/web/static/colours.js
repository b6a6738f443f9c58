// A path's colour, the same everywhere on the page and for as long as it lives: eight that can be told apart.

const given = new Map();

export function colourClass(path) {
  if (!given.has(path)) given.set(path, `s${(given.size % 8) + 1}`);
  return given.get(path);
}

// resolve finds what a CSS variable is in the colours of the moment, for who draws on a canvas.
export function resolve(variable) {
  const probe = document.createElement('span');
  probe.style.color = `var(${variable})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
