// The tour: what does each way to the database cost, without latency and
// with 10 ms?
//
//   scripts/tour                                  every available path, one table
//   scripts/k6 run k6/lessons/00-tour.js          one cell: connect, direct
//   scripts/k6 run -e LAB_GROUP=throughput -e LAB_SECONDS=5 k6/lessons/00-tour.js
//
// Expect: a pooler is another hop that each statement pays for, and a cheaper
// place to connect to; 10 ms of latency outweighs both.

import { lesson } from '../lib/cell.js';

export { turn as default, handleSummary } from '../lib/cell.js';

const everywhere = {
  paths: ['*'],
  latencies: [null, 10], // ms of round trip that the path's link adds; null: no proxy in the way
  seconds: 1,
  warmup_seconds: 0.8, // what the clients don't need of it is measured too
  repeats: 1,
};

export const options = lesson(() => ({
  lesson: '00-tour',
  title: 'The tour',
  question: 'What does each way to the database cost, without latency and with 10 ms of it?',
  explanation: 'A connect pays several round trips and the authentication, a statement on a connection that is there pays one round trip; '
    + 'ten clients that wait for each answer can have no more than ten statements under way.',
  minutes: 2,
  groups: [
    // Rates stay below what the slowest path takes at 10 ms, and no turn
    // falls in step with the 100 ms slices of the CPU budgets.
    // A cold pool costs more to connect through; this asks for the warm one.
    { ...everywhere, name: 'connect', workload: 'connect', protocol: 'simple', clients: [1], rate: 11, fill_pools: true },
    { ...everywhere, name: 'select', workload: 'select', protocol: 'prepared', clients: [1], rate: 37 },
    { ...everywhere, name: 'throughput', workload: 'select', protocol: 'prepared', clients: [10], rate: 0, warmup_seconds: 1.2 },
  ],
  headlines: [],
}));
