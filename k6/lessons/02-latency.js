// What does network latency do to throughput, and what wins it back?
//
//   scripts/run 02-latency              5 minutes
//   scripts/run 02-latency --full       20 s a cell, as the study had them, and more clients
//   scripts/k6 run k6/lessons/02-latency.js
//
// Expect: ten clients that wait for each answer get 10 / round trip, whatever
// the server could do. More clients or fewer round trips win it back, unless
// all of them want the same row.

import { lesson } from '../lib/cell.js';
import { shared } from '../lib/workloads.js';

export { turn as default, handleSummary } from '../lib/cell.js';

const cells = { paths: ['direct'], clients: [10], seconds: 1.1, warmup_seconds: 1, repeats: 6, figures: ['tps', 'ceiling_share', 'p50', 'p95'] };
const far = { ...cells, latencies: [20] };
const writing = { ...far, workload: ['tpcb', 'tpcb-function', 'tpcb-pipeline'], writes: true, warmup_seconds: 1.2, figures: ['tps', 'transaction', 'round_trips'] };
const long = { ...far, workload: 'long-query', params: { rows: 300000 }, clients: [1], seconds: 2, warmup_seconds: 0.6, figures: ['tps', 'statement'] };
const series = (latency_ms) => ({ group: 'series', latency_ms });
const way = (group, workload, clients) => ({ group, workload, ...(clients && { clients }) });

export const options = lesson(() => ({
  lesson: '02-latency',
  title: 'Latency and throughput',
  question: 'What does network latency do to throughput, and what wins it back?',
  prediction: 'Ten clients read single rows. How many transactions a second are left of 1000 when 20 ms of round trip come between them and the server: 900, 500 or 50?',
  explanation: 'A client that waits for its answer has one statement under way, so ten clients have ten, and get no more than '
    + '10 / round trip: 500 TPS at 20 ms, though the server could do many times that. The server is idle meanwhile, so more clients '
    + 'fill it again, and one call that carries the whole transaction pays the round trip once instead of seven times. A pipeline '
    + 'does the same without a function. The time to answer stays: 20 ms remain 20 ms, however many clients there are; a query '
    + 'that takes long anyway hardly notices. Clients that update the same row wait for each other instead: the lock is held '
    + 'over the round trips to COMMIT, one transaction after the other, and more clients only make the queue longer.',
  minutes: 5,
  groups: [
    { ...cells, name: 'series', workload: 'select', latencies: [0, 1, 10, 20, 100], full: { seconds: 20 } },
    { ...cells, name: 'plain', workload: 'select', latencies: [null], repeats: 1, full: { seconds: 20 } },
    { ...far, name: 'clients', workload: 'select', clients: [100], warmup_seconds: 1.8, full: { clients: [50, 100, 200, 400], seconds: 20, warmup_seconds: 8 } },
    { ...writing, name: 'trips', full: { seconds: 20 } },
    { ...writing, name: 'same-row', workload: 'tpcb-one-row', clients: [10, 30], warmup_seconds: 3.5, full: { seconds: 20 } },
    { ...long, name: 'long', latencies: [0, 20], full: { seconds: 20 } },
    { ...writing, name: 'near', workload: [...writing.workload, 'tpcb-one-row'], latencies: [0], repeats: 1 },
    { ...writing, name: 'rows-apart', workload: 'tpcb', clients: [30], warmup_seconds: 3, repeats: 1 },
    { ...long, name: 'replica', paths: ['standby'], repeats: 1 },
  ],
  headlines: [
    { name: 'far', says: 'TPS of 10 clients at 20 ms, to the same through the proxy without latency', figure: 'tps', of: series(20), to: series(0) },
    { name: 'more-clients', says: 'TPS of 100 clients at 20 ms, to that of 10', figure: 'tps', of: way('clients', 'select', 100), to: series(20) },
    { name: 'function', says: 'TPS at 20 ms of a transaction in one function call, to seven statements', figure: 'tps', of: way('trips', 'tpcb-function'), to: way('trips', 'tpcb') },
    { name: 'pipeline', says: 'TPS at 20 ms of a transaction sent as one pipeline, to one after the other', figure: 'tps', of: way('trips', 'tpcb-pipeline'), to: way('trips', 'tpcb') },
    { name: 'long-query', says: 'time of a long query at 20 ms, to the same without latency', figure: 'statement', of: { group: 'long', latency_ms: 20 }, to: { group: 'long', latency_ms: 0 } },
    { name: 'same-row', says: 'TPS of 30 clients that update one row at 20 ms, to that of 10', figure: 'tps', of: way('same-row', 'tpcb-one-row', 30), to: way('same-row', 'tpcb-one-row', 10) },
  ],
  study: {
    title: 'What network latency does to throughput',
    source: 'CYBERTEC, 2020',
    setup: 'Read-only pgbench, 100,000 rows, 10 clients, 20 s, delay by tc on the loopback device. The 10 ms of delay are one way: '
      + 'they stand here beside 20 ms of round trip. More rows here (LAB_SCALE), read by key, and half a CPU for the server.',
    figures: [
      { what: '10 clients, no delay', said: '8813 TPS', figure: 'tps', of: { group: 'plain' } },
      { what: '10 clients, 20 ms of round trip (10 ms of delay)', said: '461 TPS', figure: 'tps', of: series(20) },
    ],
    shapes: [
      { name: 'ceiling', says: 'TPS can\'t exceed clients / round trip', all: [1, 10, 20, 100].map((ms) => ({ figure: 'ceiling_share', of: series(ms), is: 'less', than: 1.05 })) },
      { name: 'latency-costs', says: '20 ms of round trip cost most of the throughput', all: [{ figure: 'tps', of: series(20), to: series(0), is: 'less', than: 0.5 }] },
      { name: 'more-clients', says: 'more clients win reads back', all: [{ figure: 'tps', of: way('clients', 'select', 100), to: series(20), is: 'more', than: 5 }] },
      { name: 'same-row', says: 'more clients don\'t, where all want the same row', all: [{ figure: 'tps', of: way('same-row', 'tpcb-one-row', 30), to: way('same-row', 'tpcb-one-row', 10), is: 'less', than: 1.5 }] },
      { name: 'one-round-trip', says: 'the transaction inside the server wins it back', all: [{ figure: 'tps', of: way('trips', 'tpcb-function'), to: way('trips', 'tpcb'), is: 'more', than: 3 }] },
      { name: 'long-queries', says: 'long queries hardly notice', all: [{ figure: 'statement', of: { group: 'long', latency_ms: 20 }, to: { group: 'long', latency_ms: 0 }, is: 'less', than: 1.2 }] },
      { name: 'answers-late', says: 'the time to answer suffers even where throughput needn\'t', all: [
        { figure: 'tps', of: way('clients', 'select', 100), to: series(20), is: 'more', than: 5 }, { figure: 'statement', of: way('clients', 'select', 100), to: series(0), is: 'more', than: 5 }] },
    ],
  },
  charts: [
    { title: 'TPS over latency', kind: 'lines', figure: 'tps', x: 'latency_ms', series: 'path', of: { group: 'series' }, ceiling: true, log: 'y',
      note: 'The upper line is 10 clients / round trip: no server can be above it.' },
    { title: 'Ways out at 20 ms', kind: 'bars', figure: 'tps', x: 'workload', series: 'clients', of: { latency_ms: 20, path: 'direct' }, log: 'y' },
    { title: 'Time to answer over latency', kind: 'lines', figure: 'p50', x: 'latency_ms', series: 'path', of: { group: 'series' } },
  ],
  full: { minutes: 36 },
}), {
  // Two turns are enough of a warm-up, and far away ten take longer than the cell.
  select: { ...shared('select'), warm: 2 },
  'tpcb-one-row': { ...shared('tpcb-one-row'), warm: 1 },
  // Parallel workers would be transactions of their own to the server, and its counts no longer k6's.
  'long-query': { ...shared('long-query'), setup: (client) => client.exec('SET max_parallel_workers_per_gather = 0') },
});
