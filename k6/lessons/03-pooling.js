// Pooling: when does a pooler pay, and what does the size of its pool do?
//
//   scripts/run 03-pooling                     five minutes
//   scripts/run 03-pooling --full              the study's 4000 clients; says first what it takes
//   scripts/k6 run -e LAB_GROUP=select-many -e LAB_CLIENTS=300 k6/lessons/03-pooling.js
//
// Expect: with one client a pooler is a hop that costs. With a hundred it is the server that suffers, from
// processes that log in, hold memory and take turns; a few server connections do the same work sooner.

import { lesson } from '../lib/cell.js';

export { turn as default, handleSummary } from '../lib/cell.js';

const usual = { latencies: [null], protocol: 'simple', figures: ['tps', 'mean', 'backends', 'active', 'waiting', 'max_wait', 'cpu_database', 'cpu_pooler', 'context_switches'] };
const select = { ...usual, workload: 'select', seconds: 1, warmup_seconds: 0.5 };
// Fixed work: each client does its transactions and leaves. Where clients outnumber a session pool, the rest waits for that.
const work = { ...usual, workload: 'tpcb', writes: true, seconds: 20, warmup_seconds: 0,
  figures: ['tps', 'tps_with_connect', 'mean', 'connected_seconds', 'finish_seconds', 'starved', 'backends', 'locks', 'waiting', 'max_wait', 'memory_database_mb',
    'memory_per_backend_mb', 'memory_pooler_mb', 'memory_per_client_mb', 'cpu_database', 'context_switches'] };
const held = ['backends', 'active', 'locks', 'waiting', 'memory_database_mb', 'memory_per_backend_mb', 'memory_pooler_mb', 'memory_per_client_mb', 'tps'];
const both = ['direct', 'pgbouncer-transaction'];
const others = ['pgbouncer-session', 'pgpool'];
const pools = { ...usual, workload: 'tpcb', writes: true, clients: [100], paths: ['pgbouncer-transaction'], seconds: 1.5, warmup_seconds: 1 };
const at = (group, path, more) => ({ group, path, ...more });
const ratio = (group, figure, path = 'pgbouncer-transaction') => ({ figure, of: at(group, path), to: at(group, 'direct') });
const pool = (pool_size) => at('pool-size', 'pgbouncer-transaction', { pool_size });
const saw = (what, said, figure, group, path, more) => ({ what, said, figure, of: at(group, path, more) });

export const options = lesson(() => ({
  lesson: '03-pooling',
  title: 'Pooling',
  question: 'How many clients does it take until a pool between them and PostgreSQL does more work than they do alone?',
  prediction: 'A hundred clients run TPC-B, each through a connection of its own, or all through 20 that PgBouncer shares out: who is done first, and by what factor?',
  explanation: 'A pooler is one hop more: each statement pays some hundredths of a millisecond for it, and with few clients that is all it does. '
    + 'Each direct client is a process of the server: it is forked, logs in, keeps one to two MB and its locks, and takes its turn on the CPU; in TPC-B all of them queue for the '
    + 'rows of ten branches, and each that waits in the server makes the others dearer. A pool lets a few work, and the rest waits in its queue, where waiting costs next to nothing: so a smaller pool '
    + 'can do more. Memory and locks follow the server connections, not the clients. A session pool lends one until its client leaves: who has it is spared the handing over, who comes later has nothing at all. '
    + 'Pgpool-II gives each client a process and server connections of its own: it saves the server nothing but the forks, and beyond its 100 children clients queue.',
  minutes: 5,
  groups: [
    { ...select, name: 'select-one', paths: both, clients: [1], seconds: 1.5, repeats: 6 },
    { ...select, name: 'select-many', paths: both, clients: [100], seconds: 2, warmup_seconds: 1.5, repeats: 6 },
    { ...select, name: 'select', paths: [...both, 'pgpool'], clients: [10] },
    { ...work, name: 'one', paths: [...both, ...others], clients: [1], transactions: 300 },
    { ...work, name: 'ten', paths: [...both, ...others], clients: [10], transactions: 50 },
    { ...work, name: 'hundred', paths: both, clients: [100], transactions: 10, repeats: 6 },
    { ...work, name: 'hundred-others', paths: others, clients: [100], transactions: 10 },
    { ...work, name: 'crowd', paths: [...both, ...others], clients: [500], transactions: 2, seconds: 60, full: { transactions: 50, seconds: 900 } },
    { ...pools, name: 'held', paths: ['direct'], clients: [500], warmup_seconds: 16, figures: held },
    { ...pools, name: 'held-pooled', clients: [500], warmup_seconds: 4, figures: held },
    { ...pools, name: 'pool-size', pool_sizes: [5, 100], repeats: 6 },
    { ...pools, name: 'pool-sizes', pool_sizes: [2, 10, 20, 50] },
    { ...work, name: 'starving', paths: ['pgbouncer-transaction', 'pgbouncer-session'], clients: [100], transactions: 100, seconds: 3 },
    { ...select, name: 'select-wide', full_only: true, paths: [...both, ...others], clients: [1, 10, 100, 500], seconds: 10, warmup_seconds: 16 },
    { ...work, name: 'four-thousand', full_only: true, workload: ['tpcb', 'select'], paths: [...both, 'pgbouncer-session'], clients: [4000], pool_sizes: [10, 100], transactions: 5, seconds: 1500 },
  ],
  headlines: [
    { name: 'one client', says: 'SELECT by key, 1 client: TPS through PgBouncer, to direct', ...ratio('select-one', 'tps') },
    { name: 'many clients', says: 'SELECT by key, 100 clients: TPS through PgBouncer, to direct', ...ratio('select-many', 'tps') },
    { name: 'fixed work', says: 'TPC-B, 100 clients, from the first connect to the last commit: TPS through PgBouncer, to direct', ...ratio('hundred', 'tps_with_connect') },
    { name: 'connecting', says: 'time until 100 clients are connected: PgBouncer, to direct', ...ratio('hundred', 'connected_seconds') },
    { name: 'memory', says: 'most memory of the database with 100 clients: through PgBouncer, to direct', ...ratio('hundred', 'memory_database_mb') },
    { name: 'pool size', says: 'TPC-B, 100 clients through PgBouncer: TPS with a pool of 5, to a pool of 100', figure: 'tps', of: pool(5), to: pool(100) },
  ],
  study: {
    title: 'PgBouncer, light connection pooler', source: '2023',
    setup: 'pgbench on 4 CPUs and 8 GB, PostgreSQL 14, each test 3 to 5 times. Its 500 clients did 50 transactions each (here 2, with --full 50), its 4000 did 5; its memory includes the testing tools.',
    figures: [
      saw('TPC-B, 1 client, direct', '170 TPS', 'tps', 'one', 'direct'), saw('the same, PgBouncer', '122.5 TPS', 'tps', 'one', 'pgbouncer-transaction'),
      saw('TPC-B, 10 clients, direct', '246.8 TPS', 'tps', 'ten', 'direct'), saw('the same, PgBouncer', '182.6 TPS', 'tps', 'ten', 'pgbouncer-transaction'),
      saw('TPC-B, 100 clients, direct', '168.9 TPS', 'tps', 'hundred', 'direct'), saw('the same, PgBouncer', '163.7 TPS', 'tps', 'hundred', 'pgbouncer-transaction'),
      saw('all 100 connected, direct', '1.72 s', 'connected_seconds', 'hundred', 'direct'), saw('the same, PgBouncer', '0.30 s', 'connected_seconds', 'hundred', 'pgbouncer-transaction'),
      saw('TPC-B, 500 clients, direct', '73.9 TPS', 'tps', 'crowd', 'direct'), saw('the same, PgBouncer', '134.2 TPS', 'tps', 'crowd', 'pgbouncer-transaction'),
      saw('all 500 connected, direct', '8.19 s', 'connected_seconds', 'crowd', 'direct'), saw('the same, PgBouncer', '1.73 s', 'connected_seconds', 'crowd', 'pgbouncer-transaction'),
      saw('memory with 500 clients, direct', '2113 MB', 'memory_database_mb', 'held', 'direct'), saw('the same, PgBouncer', '1253 MB', 'memory_database_mb', 'held-pooled', 'pgbouncer-transaction'),
      saw('TPC-B, 4000 clients, direct', '11.4 TPS', 'tps', 'four-thousand', 'direct', { workload: 'tpcb' }),
      saw('the same, PgBouncer', '38.1 TPS', 'tps', 'four-thousand', 'pgbouncer-transaction', { workload: 'tpcb', pool_size: 100 }),
      saw('the same, PgBouncer in session mode', '48.4 TPS', 'tps', 'four-thousand', 'pgbouncer-session', { workload: 'tpcb', pool_size: 100 }),
      saw('SELECT, 4000 clients, direct', '92.9 TPS', 'tps', 'four-thousand', 'direct', { workload: 'select' }),
      saw('the same, PgBouncer', '3416 TPS', 'tps', 'four-thousand', 'pgbouncer-transaction', { workload: 'select', pool_size: 100 }),
    ],
    shapes: [
      { name: 'few', says: 'direct wins with few clients', all: [{ ...ratio('select-one', 'tps'), is: 'less' }] },
      { name: 'few-writes', says: 'direct wins with one client in TPC-B, too', all: [{ ...ratio('one', 'tps'), is: 'less' }] },
      { name: 'many', says: 'PgBouncer wins with many', all: [{ ...ratio('hundred', 'tps_with_connect'), is: 'more' }] },
      { name: 'smaller-pool', says: 'a smaller pool can beat a larger one', all: [{ figure: 'tps', of: pool(5), to: pool(100), is: 'more' }] },
      { name: 'session', says: 'session mode isn\'t always slower than transaction mode', all: [{ figure: 'finish_seconds', of: at('crowd', 'pgbouncer-session'), to: at('crowd', 'pgbouncer-transaction'), is: 'less', than: 1.05 }] },
      { name: 'backends', says: 'memory and locks follow the backends, not the clients', all: [
        ...['memory_database_mb', 'backends'].map((figure) => ({ figure, of: { group: 'held-pooled' }, to: { group: 'held' }, is: 'less', than: 0.3 })), { ...ratio('hundred', 'locks'), is: 'less', than: 0.5 }] },
    ],
  },
  charts: [
    { title: 'TPC-B: fixed work, connecting included', kind: 'lines', figure: 'tps_with_connect', x: 'clients', series: 'path', of: { workload: 'tpcb', pool_size: 0, warmup_seconds: 0 }, log: 'x' },
    { title: 'SELECT by key', kind: 'lines', figure: 'tps', x: 'clients', series: 'path', of: { workload: 'select', transactions: 0 }, log: 'x' },
    { title: 'Memory of the database', kind: 'bars', figure: 'memory_database_mb', x: 'clients', series: 'path', of: { workload: 'tpcb', pool_size: 0, warmup_seconds: 0 } },
    { title: 'The size of the pool, 100 clients', kind: 'lines', figure: 'tps', x: 'pool_size', series: 'path', of: { clients: 100, workload: 'tpcb', transactions: 0 }, log: 'x' },
  ],
  full: { minutes: 60, max_connections: 4200, node_memory_gb: 10, host_memory_gb: 16, files: 9000 },
}));
