// The curves of the last minutes, a chart a figure, all on the same seconds.
import { colourClass, resolve } from './colours.js';
import { any, latest, pathsSince, series } from './history.js';
import { clock, number, whole } from './format.js';
import { swapLines } from './swaplines.js';

const $ = (id) => document.getElementById(id);
const kinds = {
  tps: [['tps', []]],
  response: [['p50_ms', []], ['p95_ms', [6, 4]]],
  connect: [['connect_ms', []]],
  errors: [['errors', []]],
};
const names = { tps: 'TPS', p50_ms: 'p50', p95_ms: 'p95', connect_ms: 'connect', errors: 'errors' };
const charts = {};

const drawn = (point) => point && !Number.isNaN(point.y);

// alone says that a point has no line to either side, and must be drawn itself to be seen.
const alone = (data, i) => drawn(data[i]) && !drawn(data[i - 1]) && !drawn(data[i + 1]);

// highest is where a chart of response times ends: above all p50 and nearly all else. A few seconds in which everything
// waited would flatten the rest.
function highest(sets) {
  const values = (dashed) => sets
    .filter((set) => (set.borderDash.length > 0) === dashed)
    .flatMap((set) => set.data.map((point) => point.y))
    .filter((y) => !Number.isNaN(y))
    .sort((a, b) => a - b);
  const p50s = values(false), tails = values(true);
  const most = Math.max(1.25 * (p50s.at(-1) ?? 0), 1.1 * (tails[Math.floor(0.95 * (tails.length - 1))] ?? 0));
  const step = 10 ** Math.floor(Math.log10(most)) / 2;
  return most > 0 ? Math.ceil(most / step) * step : undefined;
}

// label is a number at the side of a chart.
const label = (value) => (value < 10 ? String(Number(value.toPrecision(2))) : whole(value));

// ago says how long ago a second was.
function ago(seconds) {
  const rounded = Math.round(seconds);
  return rounded < 1 ? 'now' : `-${clock(rounded)}`;
}

function options(unit) {
  const until = () => latest()?.at ?? 0;
  return {
    animation: false,
    parsing: false,
    normalized: true,
    responsive: true,
    maintainAspectRatio: false,
    events: ['mousemove', 'mouseout'],
    layout: { padding: { top: 32, right: 10 } },
    interaction: { mode: 'index', intersect: false },
    elements: {
      point: { radius: ({ dataset, dataIndex }) => (alone(dataset.data, dataIndex) ? 3 : 0), hoverRadius: 4 },
      line: { borderWidth: 2.5, borderJoinStyle: 'round' },
    },
    scales: {
      x: {
        type: 'linear', grid: { display: false },
        afterBuildTicks: (axis) => {
          const step = (axis.max - axis.min) / 4;
          axis.ticks = [4, 3, 2, 1, 0].map((n) => ({ value: axis.max - n * step }));
        },
        ticks: { maxRotation: 0, align: 'inner', callback: (value) => ago(until() - value) },
      },
      y: {
        type: 'linear',
        beginAtZero: true,
        grace: '8%',
        ticks: { maxTicksLimit: 5, callback: label },
        afterFit: (axis) => {
          axis.width = 58; // all the same, so that a swap's line goes straight through all charts
        },
      },
    },
    plugins: {
      legend: { display: false }, 'swap-lines': {},
      tooltip: { callbacks: {
        title: (items) => (items.length ? `${clock(Math.max(0, until() - items[0].parsed.x))} ago` : ''),
        label: ({ dataset, parsed }) => ` ${dataset.label} ${number(parsed.y)}${unit}`,
      } },
    },
  };
}

// dress gives a chart the colours of the moment.
function dress(chart) {
  const [ink, soft, rule, paper] = ['--ink', '--soft', '--rule', '--paper'].map(resolve);
  for (const axis of Object.values(chart.options.scales)) {
    axis.ticks.color = soft;
    axis.grid.color = rule;
    axis.grid.borderColor = soft;
  }
  chart.options.plugins['swap-lines'] = { ink, soft, paper };
}

function datasets(kind, paths, from) {
  return paths.flatMap((path) => {
    const borderColor = resolve(`--${colourClass(path)}`);
    return kinds[kind].map(([key, dash]) => ({
      label: `${path}${kinds[kind].length > 1 ? ` ${names[key]}` : ''}`,
      data: series(path, key, from),
      borderColor,
      backgroundColor: borderColor,
      borderDash: dash,
      borderWidth: dash.length ? 1.5 : 2.5,
      spanGaps: false,
    }));
  });
}

let idle = true; // no load is asked for

export function paintCharts(loadState) {
  if (loadState) idle = loadState === 'off';
  const until = latest()?.at;
  if (until === undefined) return;
  const from = until - Number($('span').value), paths = pathsSince(from), log = $('log').checked;
  $('nothing').hidden = paths.length > 0 || !idle;
  $('charts').classList.toggle('bare', !paths.length);
  for (const [kind, chart] of Object.entries(charts)) {
    const figure = $(`chart-${kind}`);
    // Two of them say something only where connections are opened, or something fails.
    figure.hidden = !paths.length || (['connect', 'errors'].includes(kind) && !any(kinds[kind][0][0], from));
    if (figure.hidden) continue;
    Object.assign(chart.options.scales.x, { min: from, max: until });
    chart.data.datasets = datasets(kind, paths, from);
    Object.assign(chart.options.scales.y, {
      type: log && kind !== 'errors' ? 'logarithmic' : 'linear',
      max: kind === 'response' && !log ? highest(chart.data.datasets) : undefined,
    });
    chart.update('none');
  }
}

export function charting() {
  Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
  Chart.defaults.font.size = 13;
  for (const kind of Object.keys(kinds)) {
    const canvas = document.querySelector(`#chart-${kind} canvas`);
    const unit = ['response', 'connect'].includes(kind) ? ' ms' : '';
    const settings = { type: 'line', data: { datasets: [] }, options: options(unit), plugins: [swapLines] };
    charts[kind] = new Chart(canvas, settings);
    const caption = canvas.closest('figure').querySelector('figcaption').textContent;
    canvas.setAttribute('aria-label', `${caption} over the last minutes; the table above has the last second`);
    dress(charts[kind]);
  }
  document.addEventListener('colours', () => { Object.values(charts).forEach(dress); paintCharts(); });
  for (const control of [$('span'), $('log')]) control.addEventListener('change', () => paintCharts());
}

export function toggleLog() {
  $('log').checked = !$('log').checked;
  paintCharts();
}
