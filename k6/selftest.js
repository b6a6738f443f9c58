// What scripts/selftest runs: the direct path under two names, a and b, and the
// same slowed down by a known 10 %: a turn is a transaction of reads that all
// cost the same, so many that the rest of it hardly counts, and slowed down it
// has a tenth more of them.
//
//   response: a turn's time without latency; distance: the same at 5 ms;
//   capacity: turns a second of 10 clients
//
//   scripts/selftest                                      all three, 20 comparisons of six repeats each
//   scripts/k6 run -e LAB_GROUP=capacity-slower k6/selftest.js

import { lesson } from './lib/cell.js';
import { shared } from './lib/workloads.js';

export { turn as default, handleSummary } from './lib/cell.js';

const select = shared('select');
const common = { paths: ['direct'], latencies: [null], clients: [1], seconds: 1, warmup_seconds: 0.5, repeats: 120, figures: ['p50'] };
const response = { ...common, rate: 37 };
const distance = { ...common, rate: 13, latencies: [5] };
const capacity = { ...common, clients: [10], figures: ['tps'] };

// reads is a transaction of so many round trips, BEGIN and COMMIT included.
const reads = (roundTrips) => ({
  turn(client, cell) {
    client.transaction((tx) => {
      for (let i = 2; i < roundTrips; i++) select.turn(tx, cell);
    });
  },
});

// compared is a headline: one group's figure to that of the first name.
const compared = (kind, figure, group, name, says) => (
  { name: `${kind}-${name}`, says: `${kind}, ${says}`, figure, of: { group: `${kind}-${group}` }, to: { group: `${kind}-a` } });

export const options = lesson(() => ({
  lesson: 'selftest',
  title: 'Trust',
  question: 'Does the lab see no difference where there is none, and one of 10 % where there is one?',
  explanation: 'Over all blocks the ratios show how large the known slowdown came out; what counts is how often '
    + 'a few blocks say the right thing.',
  minutes: 40,
  groups: [
    { ...response, name: 'response-a', workload: 'reads-100' },
    { ...response, name: 'response-b', workload: 'reads-100' },
    { ...response, name: 'response-slower', workload: 'reads-110' },
    { ...distance, name: 'distance-a', workload: 'reads-10' },
    { ...distance, name: 'distance-b', workload: 'reads-10' },
    { ...distance, name: 'distance-slower', workload: 'reads-11' },
    { ...capacity, name: 'capacity-a', workload: 'reads-40' },
    { ...capacity, name: 'capacity-b', workload: 'reads-40' },
    { ...capacity, name: 'capacity-slower', workload: 'reads-44' },
  ],
  headlines: [
    compared('response', 'p50', 'b', 'same', 'one path under two names'),
    compared('response', 'p50', 'slower', 'slower', 'slowed down by 10 %'),
    compared('distance', 'p50', 'b', 'same', 'one path under two names'),
    compared('distance', 'p50', 'slower', 'slower', 'slowed down by 10 %'),
    compared('capacity', 'tps', 'b', 'same', 'one path under two names'),
    compared('capacity', 'tps', 'slower', 'slower', 'slowed down by 10 %'),
  ],
}), Object.fromEntries([10, 11, 40, 44, 100, 110].map((n) => [`reads-${n}`, reads(n)])));
