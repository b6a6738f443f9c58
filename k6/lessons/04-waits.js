// Waits: where does the server wait when the network is slow?
//
//   scripts/run 04-waits, or alone: scripts/k6 run -e LAB_GROUP=slow-app k6/lessons/04-waits.js
//
// Expect: behind a slow network the server waits: to send a large result, for a load's or a transaction's next
// message; between single statements its session is idle. An application that is slow itself looks the same.

import { sleep } from 'k6';
import { lesson } from '../lib/cell.js';
import { shared } from '../lib/workloads.js';
export { turn as default, handleSummary } from '../lib/cell.js';

const own = {
  single: { turn: (client) => client.exec('SELECT 1') },
  // TPC-B by an application that takes its time before each message, as the network does in small-slow.
  'slow-app': {
    turn(client, cell) {
      const pause = () => sleep(cell.params.pause_ms / 1000);
      const slow = (tx) => ({ exec(...statement) { pause(); tx.exec(...statement); } });
      pause();
      shared('tpcb').turn({ transaction: (fn) => client.transaction((tx) => { fn(slow(tx)); pause(); }) }, cell);
    },
  },
};

const wait = { cpu: 'wait:CPU', read: 'wait:Client:ClientRead', write: 'wait:Client:ClientWrite', idle: 'wait:Net/Delay' };
// Fast is through toxiproxy, too, with nothing added: slow then differs from it by the latency and by no hop.
const session = { paths: ['direct'], latencies: [0], clients: [1], protocol: 'simple', seconds: 2, warmup_seconds: 0.5, repeats: 6, waits_hz: 32,
  figures: ['tps', 'p50', wait.cpu, wait.read, wait.write, wait.idle, 'wait:IO:WalSync', 'cpu_database', 'wait_cost'], full: { seconds: 62 } };
const slow = { ...session, latencies: [10] };
// One stream of 39 MB: less would fit the buffers on the way. What slows a stream is bandwidth, 10 MB/s here; toxiproxy's latency alone hardly does.
const bulk = { ...session, workload: ['bulk-read', 'bulk-load'], params: { rows: 400000 }, transactions: 1, seconds: 10, warmup_seconds: 0, figures: ['copy_mb_s', 'finish_seconds', ...session.figures.slice(2)], full: {} };
const narrow = { ...bulk, latencies: [10], bandwidth_kb_s: 10000, full: { bandwidth_kb_s: 1000, seconds: 90 } };
const small = { ...session, workload: 'tpcb', writes: true };
const many = { ...slow, workload: 'select-heavy', clients: [20] };
const in_ = (group, workload) => ({ group, workload });
const shrinks = (name, workload, figure = wait.cpu) => ({ figure, of: in_(`${name}-slow`, workload), to: in_(name, workload) });
const is = (figure, group, workload, word, than) => ({ figure, of: in_(group, workload), is: word, than });
const saw = (what, said, figure, group, workload, path = 'direct') => ({ what, said, figure, of: { ...in_(group, workload), path } });

export const options = lesson(() => ({
  lesson: '04-waits',
  title: 'Waits',
  question: 'Where does the server wait when the network is slow, and can it tell a slow network from a slow application?',
  prediction: 'A transaction of five statements runs over 10 ms of latency. What share of its session\'s time does the server work, and what does it call the rest?',
  explanation: 'The server is asked thirty-two times a second what each session waits for; active and waiting for nothing is CPU, and Net/Delay is a session that is neither active nor in a transaction. '
    + 'A result that the network can\'t take makes the server wait in ClientWrite; a load, and each pause within a transaction, in ClientRead; a pause between single statements in an idle session, '
    + 'which is Net/Delay here. The server sees only that the next message isn\'t there: slow network and slow application look alike. It is the client\'s side that tells them apart: its '
    + 'statements take the round trip longer over the network, and no longer than ever where the application dawdles. A transaction pool lends the idle moments to other clients, so its few sessions are busy; '
    + 'the ClientRead within a transaction it can\'t fill, for that connection is taken.',
  minutes: 5,
  groups: [
    { ...bulk, name: 'bulk' },
    { ...narrow, name: 'bulk-slow' },
    { ...small, name: 'small' },
    { ...small, name: 'small-slow', latencies: [10] },
    { ...small, name: 'slow-app', workload: 'slow-app', params: { pause_ms: 11 } },
    { ...session, name: 'single', workload: 'single' },
    { ...slow, name: 'single-slow', workload: 'single' },
    { ...session, latencies: [null], name: 'plain', paths: ['direct', 'socket'], workload: 'single', full: {} },
    { ...small, latencies: [null], name: 'plain-small', repeats: 1, full: {} },
    { ...bulk, latencies: [null], name: 'plain-bulk', repeats: 1 },
    { ...many, name: 'many', repeats: 1 },
    { ...many, name: 'many-pooled', paths: ['pgbouncer-transaction'], pool_sizes: [2], repeats: 1 },
    { ...many, name: 'many-transactions', workload: 'tpcb', writes: true, paths: ['direct', 'pgbouncer-transaction'], pool_sizes: [5], repeats: 1 },
  ],
  headlines: [
    { name: 'large result', says: 'share of the time that the server works on a large result: slow network, to fast', ...shrinks('bulk', 'bulk-read') },
    { name: 'load', says: 'on a bulk load: slow network, to fast', ...shrinks('bulk', 'bulk-load') },
    { name: 'transactions', says: 'CPU time of the database on small transactions: slow network, to fast', ...shrinks('small', 'tpcb', 'cpu_database') },
    { name: 'single statements', says: 'on single statements: slow network, to fast', ...shrinks('single', 'single', 'cpu_database') }, // one look in thirty finds it at work
    { name: 'who is slow', says: 'ClientRead in small transactions: a slow application, to a slow network', figure: wait.read, of: in_('slow-app', 'slow-app'), to: in_('small-slow', 'tpcb') },
    { name: 'the client knows', says: 'median statement of the two, seen by the client', figure: 'statement', of: in_('slow-app', 'slow-app'), to: in_('small-slow', 'tpcb') },
  ],
  study: {
    title: 'Where PostgreSQL waits on a slow network', source: '2024, with pg_gather',
    setup: 'About 2000 samples of a session; here they are shares of 1 (1821 of 2000 ClientWrite is 0.91). How slow the network was isn\'t said; here it is 10 ms of round trip, and 10 MB/s for bulk.',
    figures: [
      saw('large result, slow: ClientWrite', '0.91', wait.write, 'bulk-slow', 'bulk-read'), saw('large result: CPU, fast', '0.85', wait.cpu, 'plain-bulk', 'bulk-read'), saw('the same, slow', '0.01', wait.cpu, 'bulk-slow', 'bulk-read'),
      saw('load, slow: ClientRead', '1.00', wait.read, 'bulk-slow', 'bulk-load'), saw('load: CPU, fast', '0.88', wait.cpu, 'plain-bulk', 'bulk-load'),
      saw('small transactions, slow: ClientRead', '0.85', wait.read, 'small-slow', 'tpcb'), saw('the same: Net/Delay', '0.13', wait.idle, 'small-slow', 'tpcb'), saw('small transactions, fast: ClientRead', '0.07', wait.read, 'plain-small', 'tpcb'),
      saw('SELECT 1 over TCP, slow: Net/Delay', '0.97', wait.idle, 'single-slow', 'single'), saw('SELECT 1 over TCP, fast: CPU', '0.28', wait.cpu, 'plain', 'single'),
      saw('SELECT 1 over TCP, fast', '32,882 TPS', 'tps', 'plain', 'single', 'direct'), saw('SELECT 1 over a Unix socket', '75,972 TPS', 'tps', 'plain', 'single', 'socket'),
    ],
    shapes: [
      { name: 'large-result', says: 'a slow network turns large reads into ClientWrite', all: [is(wait.write, 'bulk-slow', 'bulk-read', 'more', 0.5)] },
      { name: 'load', says: 'loads into ClientRead', all: [is(wait.read, 'bulk-slow', 'bulk-load', 'more', 0.5)] },
      { name: 'transactions', says: 'transactions of several statements into ClientRead', all: [is(wait.read, 'small-slow', 'tpcb', 'more', 0.5)] },
      { name: 'single', says: 'and single statements into Net/Delay', all: [is(wait.idle, 'single-slow', 'single', 'more', 0.5)] },
      { name: 'cpu', says: 'CPU shrinks in all of them', all: [shrinks('bulk', 'bulk-read'), shrinks('bulk', 'bulk-load'), ...[['small', 'tpcb'], ['single', 'single']].map((of) => shrinks(...of, 'cpu_database'))].map((ratio) => ({ ...ratio, is: 'less', than: 0.5 })) },
      { name: 'socket', says: 'a Unix socket answers SELECT 1 sooner than TCP', all: [{ figure: 'tps', of: { group: 'plain', path: 'socket' }, to: { group: 'plain', path: 'direct' }, is: 'more' }] },
    ],
  },
  charts: [
    { title: 'Where one session\'s time goes', kind: 'stack', parts: ['waits'], x: 'workload', series: 'latency_ms', of: { clients: 1, path: 'direct' }, note: 'Net/Delay is a session between transactions.' },
    { title: 'What a transaction pool fills', kind: 'stack', parts: ['waits'], x: 'path', series: 'workload', of: { latency_ms: 10, bandwidth_kb_s: 0, repeats_wanted: 1 } },
  ],
  full: { minutes: 46, max_connections: 600, node_memory_gb: 1, host_memory_gb: 4, files: 2000 },
}), own);
