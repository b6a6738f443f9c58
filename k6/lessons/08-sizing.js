// Sizing: how large should a pool be, when each pod of the application has one of its own?
//
//   scripts/run 08-sizing                      five minutes
//   scripts/run 08-sizing --groups full-house  twenty pods of 40 at a server that takes 600
//   scripts/k6 run -e LAB_GROUP=near -e LAB_PODS=4 -e LAB_POD_POOL=5 -e LAB_CLIENTS=40 k6/lessons/08-sizing.js
//
// Expect: next to the server a few connections do all it can, and every one more makes the others slower.
// Far from it connections spend their time waiting for messages, and more of them are needed.
// Pools add up: twice the pods is twice the connections, until the server takes no more.

import { lesson } from '../lib/cell.js';
import { shared } from '../lib/workloads.js';

export { turn as default, handleSummary } from '../lib/cell.js';

// 200 threads of an application in 10 pods, each a transaction after the other, near or far through toxiproxy.
const pods = { paths: ['direct'], workload: 'tpcb', protocol: 'simple', writes: true, clients: [200], pods: [10], latencies: [0], seconds: 1.5, warmup_seconds: 2.5, full: { seconds: 20 },
  figures: ['tps', 'mean', 'transaction', 'pool_wait', 'pool_wait_p95', 'backends', 'active', 'locks', 'waiting', 'memory_database_mb', 'cpu_database', 'errors:53300'] };
const claimed = { ...pods, repeats: 6 };
const far = { latencies: [5] };
const between = { paths: ['pgbouncer-transaction'], pool_sizes: [20] };
const house = { pods: [20], pod_pools: [40], warmup_seconds: 8 };
const compare = (name, says, figure, of, to) => ({ name, says, figure, of: { group: of }, to: { group: to } });

export const options = lesson(() => ({
  lesson: '08-sizing',
  title: 'Sizing',
  question: 'Ten pods of an application, each with a pool of its own: how many connections should each have, and what if there are twenty pods?',
  prediction: 'Two hundred threads in ten pods: does the server do more for pools of 2, of 5 or of 20? And if 5 ms lie between them?',
  explanation: 'A connection is of use while the server works on it. Next to the server that is nearly always, so about as many as its CPUs and disks can serve at once do all the work; the rest of the threads wait, '
    + 'and they wait cheaper in their pod\'s queue than in the server, where each one more that runs or holds a row makes the others slower. With latency between, a connection mostly waits for the next message: '
    + 'to keep the server as busy it takes more, by the factor by which a transaction takes longer. Too small is seen in the pool (threads wait, the server idles), too large in the server (transactions take long, '
    + 'many are active or wait for rows). No pod knows of the others: pools add up, and past max_connections the server refuses (53300). PgBouncer between takes as many clients as there are and gives '
    + 'the server as few as you say: the size is then set once, in one place.',
  minutes: 5,
  groups: [
    { ...claimed, name: 'near-small', pod_pools: [2], warmup_seconds: 1.8 },
    { ...claimed, name: 'near-large', pod_pools: [20], warmup_seconds: 4.5 },
    { ...pods, name: 'near', pod_pools: [1, 5, 10] },
    { ...claimed, ...far, name: 'far-small', pod_pools: [1], warmup_seconds: 3 },
    { ...claimed, ...far, name: 'far-right', pod_pools: [5], warmup_seconds: 2.8 },
    { ...pods, ...far, name: 'far', pod_pools: [2, 10, 20], warmup_seconds: 4 },
    { ...claimed, ...between, name: 'between', pod_pools: [20], warmup_seconds: 2 },
    { ...pods, ...between, name: 'between-pools', pod_pools: [20], pool_sizes: [5, 100] },
    { ...pods, name: 'twice', pods: [20], clients: [400], pod_pools: [2], warmup_seconds: 8 },
    { ...pods, ...house, name: 'half-house', clients: [400], pods: [10] },
    { ...pods, ...house, name: 'full-house' },
    { ...pods, ...house, ...between, name: 'full-house-between' },
  ],
  headlines: [
    compare('too large', 'next to the server, 10 pods: TPS with pools of 20, to pools of 2', 'tps', 'near-large', 'near-small'),
    compare('too small', 'over 5 ms, 10 pods: TPS with pools of 1, to pools of 5', 'tps', 'far-small', 'far-right'),
    compare('waiting', 'over 5 ms: median wait for a connection with pools of 1, to pools of 5', 'pool_wait', 'far-small', 'far-right'),
    compare('between', 'pools of 20: TPS through PgBouncer with 20 server connections, to direct', 'tps', 'between', 'near-large'),
    compare('memory', 'pools of 20: most memory of the database through PgBouncer, to direct', 'memory_database_mb', 'between', 'near-large'),
    compare('patience', 'next to the server: median transaction with pools of 20, to pools of 2', 'transaction', 'near-large', 'near-small'),
  ],
  study: {
    title: 'PgBouncer, light connection pooler: the opening scene', source: '2023',
    setup: 'Told there as a scene and not measured: 10 pods with pools of 10 to 50 connections each; then twice the pods, and the database is full.',
    figures: [],
    shapes: [
      { name: 'full', says: 'twice the pods, and the database is full', all: [
        { figure: 'errors:53300', of: { group: 'half-house' }, is: 'less', than: 1 }, { figure: 'errors:53300', of: { group: 'full-house' }, is: 'more', than: 0 }] },
      { name: 'between', says: 'PgBouncer between such pools and the server takes them all', all: [
        { figure: 'errors', of: { group: 'full-house-between' }, is: 'less', than: 1 }, { figure: 'backends', of: { group: 'full-house-between' }, is: 'less', than: 25 }] },
      { name: 'smaller', says: 'a smaller pool can beat a larger one', all: [{ figure: 'tps', of: { group: 'near-large' }, to: { group: 'near-small' }, is: 'less' }] },
    ],
  },
  charts: [
    { title: 'The size of each pod\'s pool: transactions a second', kind: 'lines', figure: 'tps', x: 'pod_pool', series: 'latency_ms', of: { path: 'direct', pods: 10, clients: 200 }, log: 'x' },
    { title: 'Median transaction, once it has a connection', kind: 'lines', figure: 'transaction', x: 'pod_pool', series: 'latency_ms', of: { path: 'direct', pods: 10, clients: 200 }, log: 'xy' },
    { title: 'Wait for a connection', kind: 'lines', figure: 'pool_wait', x: 'pod_pool', series: 'latency_ms', of: { path: 'direct', pods: 10, clients: 200 }, log: 'x' },
  ],
  full: { minutes: 17, max_connections: 600, node_memory_gb: 2, host_memory_gb: 6, files: 4000 },
}), {
  tpcb: { ...shared('tpcb'), warm: 1 }, // hundreds of threads share few connections: two turns of each take longer than the cell
});
