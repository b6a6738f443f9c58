// What scripts/selftest runs: the direct path under two names, a and b, and the
// same slowed down by a known 10 %: an iteration is a transaction of reads that all
// cost the same, so many that the rest of it hardly counts, and slowed down it
// has a tenth more of them.
//
//   response-time: an iteration's without latency; rtt: the same at 5 ms;
//   throughput: iterations a second of 10 clients
//
//   scripts/selftest                                      all three, 20 comparisons of six repeats each
//   scripts/k6 run -e LAB_GROUP=throughput-slower k6/selftest.js

import { lesson } from './lib/cell.js';
import { shared } from './lib/workloads.js';

export { turn as default, handleSummary } from './lib/cell.js';

const select = shared('select');
const common = { paths: ['direct'], latencies: [null], clients: [1], seconds: 1, warmup_seconds: 0.5, repeats: 120, figures: ['p50'] };
const responseTime = { ...common, rate: 37 };
const rtt = { ...common, rate: 13, latencies: [5] };
const throughput = { ...common, clients: [10], figures: ['tps'] };

// reads is a transaction of so many round trips, BEGIN and COMMIT included.
const reads = (roundTrips) => ({
  turn(client, cell) {
    client.transaction((tx) => {
      for (let i = 2; i < roundTrips; i++) select.turn(tx, cell);
    });
  },
});

// compared is a comparison: one group's figure to that of the first name.
const compared = (kind, figure, group, name, says) => (
  { name: `${kind}-${name}`, says: `${kind}, ${says}`, figure, of: { group: `${kind}-${group}` }, to: { group: `${kind}-a` } });

export const options = lesson(() => ({
  lesson: 'selftest',
  title: 'Self-test',
  question: 'Does the lab see no difference where there is none, and one of 10 % where there is one?',
  explanation: 'Over all blocks the ratios show how large the known slowdown came out; what counts is how often '
    + 'a few blocks say the right thing.',
  minutes: 40,
  groups: [
    { ...responseTime, name: 'response-time-a', workload: 'reads-100' },
    { ...responseTime, name: 'response-time-b', workload: 'reads-100' },
    { ...responseTime, name: 'response-time-slower', workload: 'reads-110' },
    { ...rtt, name: 'rtt-a', workload: 'reads-10' },
    { ...rtt, name: 'rtt-b', workload: 'reads-10' },
    { ...rtt, name: 'rtt-slower', workload: 'reads-11' },
    { ...throughput, name: 'throughput-a', workload: 'reads-40' },
    { ...throughput, name: 'throughput-b', workload: 'reads-40' },
    { ...throughput, name: 'throughput-slower', workload: 'reads-44' },
  ],
  headlines: [
    compared('response-time', 'p50', 'b', 'same', 'one path under two names'),
    compared('response-time', 'p50', 'slower', 'slower', 'slowed down by 10 %'),
    compared('rtt', 'p50', 'b', 'same', 'one path under two names'),
    compared('rtt', 'p50', 'slower', 'slower', 'slowed down by 10 %'),
    compared('throughput', 'tps', 'b', 'same', 'one path under two names'),
    compared('throughput', 'tps', 'slower', 'slower', 'slowed down by 10 %'),
  ],
}), Object.fromEntries([10, 11, 40, 44, 100, 110].map((n) => [`reads-${n}`, reads(n)])));
