// The last minutes: a tick a second, and the swaps.

const kept = 330; // seconds

export const ticks = [];
export const swaps = [];

const seconds = (stamp) => Date.parse(stamp) / 1000;

export const latest = () => ticks.at(-1);

function cut() {
  const oldest = (ticks.at(-1)?.at ?? 0) - kept;
  while (ticks.length && ticks[0].at < oldest) ticks.shift();
  while (swaps.length && swaps[0].at < oldest) swaps.shift();
}

// add takes an update in; the first one of a connection takes the place of all before it.
export function add(update, first) {
  if (first) {
    ticks.length = 0;
    swaps.length = 0;
  }
  for (const tick of update.ticks) ticks.push({ ...tick, at: seconds(tick.time) });
  for (const swap of update.swaps) swaps.push({ ...swap, at: seconds(swap.time) });
  cut();
}

// series are a path's points of one metric. Where seconds are missing, or another k6 began, the line has a hole.
export function series(path, metric, from) {
  const points = [];
  let before;
  for (const tick of ticks) {
    if (tick.at < from - 2) continue;
    const y = tick.paths?.[path]?.[metric];
    if (before !== undefined && (tick.gap || tick.at - before > 2.5)) points.push({ x: tick.at - 0.5, y: NaN });
    points.push({ x: tick.at, y: y ?? NaN });
    before = tick.at;
  }
  return points;
}

// pathsSince are those that had any load since then, in the order in which they came.
export function pathsSince(from) {
  const seen = new Set();
  for (const tick of ticks) if (tick.at >= from) for (const path of Object.keys(tick.paths ?? {})) seen.add(path);
  return [...seen];
}

// any says whether a metric was above 0 since then.
export const any = (metric, from) => ticks.some((tick) => tick.at >= from
  && Object.values(tick.paths ?? {}).some((path) => path[metric] > 0));
