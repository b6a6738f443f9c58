// Metrics of a workload's own, within the measured window.

import { Counter, Trend } from 'k6/metrics';
import pg from 'k6/x/pg';

const meters = {};

// define makes the metrics that a workload lists.
export function define({ counters, trends }) {
  for (const name of counters) meters[name] = new Counter(name);
  for (const name of trends) meters[name] = new Trend(name, true);
}

// count adds n to the workload's counter of that name.
export const count = (name, n = 1) => find(name).add(n, { phase: pg.phase() });

// observe gives the workload's trend of that name one more value, in milliseconds.
export const observe = (name, milliseconds) => find(name).add(milliseconds, { phase: pg.phase() });

function find(name) {
  if (!meters[name]) throw new Error(`the workload lists no ${name}: it belongs into its counters or trends`);
  return meters[name];
}
