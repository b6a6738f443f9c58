// Draws each swap as an upright line across a chart, with its words beside it where there is room.
import { swaps } from './history.js';

const together = 1.2; // seconds within which swaps are one act: a slider that moved, or all links at once

// acts groups swaps that belong together: {at, text}.
function acts(from) {
  const all = [];
  for (const swap of swaps) {
    if (swap.at < from) continue;
    const last = all.at(-1);
    if (last && swap.at - last.until < together) {
      last.until = swap.at;
      last.of.set(swap.link, swap);
    } else all.push({ at: swap.at, until: swap.at, of: new Map([[swap.link, swap]]) });
  }
  return all.map(({ until, of }) => ({ at: until, text: words([...of.values()]) }));
}

const whose = { console: '', elsewhere: ' (elsewhere)', restart: ' (toxiproxy started anew)' };

function words(group) {
  const [one] = group, texts = new Set(group.map((swap) => `${swap.text}${whose[swap.by]}`));
  const text = texts.size === 1 ? [...texts][0] : 'swapped';
  return `${group.length > 1 ? `${group.length} links` : one.link}: ${text}`;
}

export const swapLines = {
  id: 'swap-lines',
  afterDatasetsDraw(chart) {
    const { ctx, chartArea: area, scales: { x } } = chart, { ink, soft, paper } = chart.options.plugins['swap-lines'];
    const rows = [[], []]; // what is taken of the two rows of labels, as [left, right]
    ctx.save();
    ctx.font = `600 12px ${Chart.defaults.font.family}`;
    ctx.textBaseline = 'bottom';
    const labels = [];
    for (const { at, text } of acts(x.min).reverse()) { // the newest find their place first
      const line = x.getPixelForValue(at), width = ctx.measureText(text).width + 8;
      const sides = [line, line - width].filter((left) => left >= area.left && left + width <= chart.width);
      const [row, left] = place(rows, sides, width);
      upright(ctx, soft, line, row === undefined ? area.top : area.top - 15 * row - 15, area.bottom);
      if (row === undefined) continue;
      rows[row].push([left, left + width]);
      labels.push({ text, row, left, width });
    }
    for (const { text, row, left, width } of labels) { // on top of all lines
      ctx.fillStyle = paper;
      ctx.fillRect(left + 1, area.top - 15 * row - 16, width - 2, 15);
      ctx.fillStyle = ink;
      ctx.fillText(text, left + 4, area.top - 15 * row - 1);
    }
    ctx.restore();
  },
};

// place finds the first row and side of the line that is free for a label of that width.
function place(rows, sides, width) {
  for (const row of rows.keys()) {
    for (const left of sides) {
      if (rows[row].every(([from, to]) => left >= to || left + width <= from)) return [row, left];
    }
  }
  return [];
}

function upright(ctx, colour, at, top, bottom) {
  ctx.strokeStyle = colour;
  ctx.lineWidth = 1.5;
  ctx.setLineDash([5, 4]);
  ctx.beginPath();
  ctx.moveTo(at, top);
  ctx.lineTo(at, bottom);
  ctx.stroke();
  ctx.setLineDash([]);
}
