// Where does the pooler belong: near the application, or near the database?
//
//   scripts/run 06-placement            5 minutes
//   scripts/run 06-placement --full     longer, and at 1 and 50 ms as well
//   scripts/k6 run k6/lessons/06-placement.js
//
// Expect: clients that keep their connection don't care; clients that open one
// per transaction save the login's round trips near the application.

import { lesson } from '../lib/cell.js';

export { turn as default, handleSummary } from '../lib/cell.js';

const figures = ['p50', 'connect', 'statement'];
const paced = { clients: [1], rate: 11, latencies: [10], protocol: 'simple', seconds: 1, warmup_seconds: 0.4, repeats: 6, figures,
  full: { latencies: [1, 10, 50], seconds: 10, rate: 3, warmup_seconds: 1.5 } };
const bouncers = ['pgbouncer-transaction', 'pgbouncer-transaction-near-app'];
const pgpools = ['pgpool', 'pgpool-near-app'];
const sessions = ['pgbouncer-session', 'pgbouncer-session-near-app'];
const placed = (group, path) => ({ figure: 'p50', of: { group, path: `${path}-near-app`, latency_ms: 10 }, to: { group, path, latency_ms: 10 } });
const claim = (name, says, group, path) => ({ name, says: `${says}: a turn with the pooler near the application, to near the database`, ...placed(group, path) });

export const options = lesson(() => ({
  lesson: '06-placement',
  title: 'Where the pooler stands',
  question: 'Near the application or near the database: which placement saves which round trips?',
  prediction: '10 ms lie between application and database. A client connects, sends one statement and disconnects. '
    + 'How long does it take with PgBouncer at the database, and how long with PgBouncer beside the application?',
  explanation: 'A login with SCRAM is three round trips (and a fourth on a real network, for TCP\'s own handshake), a statement is one, '
    + 'and pgbench\'s transaction of five statements is seven. Near the application, PgBouncer answers the login itself, and only what must '
    + 'reach the database crosses the distance: clients that connect for each transaction save the login. Clients that keep their '
    + 'connection have nothing to save: each statement crosses once, wherever the pooler stands. No placement saves the round trips '
    + 'inside a transaction; fewer statements do (02-latency). Pgpool-II beside the application sets the client\'s application_name on each of its '
    + 'servers, one after the other, before it lets the client in: two of three round trips are still paid. A session pool resets what a client '
    + 'left behind and sets what the next one wants before its first statement, and that crosses as well.',
  minutes: 5,
  groups: [
    { ...paced, name: 'kept', workload: 'select', paths: ['direct', ...bouncers, ...pgpools] },
    { ...paced, name: 'reconnecting', workload: 'reconnect-select', paths: ['direct', ...bouncers] },
    { ...paced, name: 'reconnecting-pgpool', workload: 'reconnect-select', paths: pgpools, fill_pools: true },
    { ...paced, name: 'transaction', workload: ['tpcb', 'reconnect-tpcb'], paths: ['direct', ...bouncers], rate: 3, seconds: 4, writes: true, repeats: 1, full: { ...paced.full, rate: 1, seconds: 12 } },
    { ...paced, name: 'session', workload: ['select', 'reconnect-select'], paths: sessions, repeats: 1 },
    { ...paced, name: 'trust', workload: 'reconnect-select', paths: ['direct', ...bouncers], roles: 'app_trust', repeats: 1 },
    { ...paced, name: 'throughput', workload: 'reconnect-select', paths: ['direct', ...bouncers], clients: [10], rate: 0, repeats: 1, figures: ['tps', ...figures], full: { seconds: 10 } },
  ],
  headlines: [
    claim('kept-pgbouncer', 'PgBouncer, clients that keep their connection', 'kept', 'pgbouncer-transaction'),
    claim('kept-pgpool', 'Pgpool-II, clients that keep their connection', 'kept', 'pgpool'),
    claim('reconnecting-pgbouncer', 'PgBouncer, a connection for each transaction', 'reconnecting', 'pgbouncer-transaction'),
    claim('reconnecting-pgpool', 'Pgpool-II, a connection for each transaction', 'reconnecting-pgpool', 'pgpool'),
    { name: 'beside', says: 'a connection for each transaction: PgBouncer near the application, to no pooler', figure: 'p50',
      of: { group: 'reconnecting', path: 'pgbouncer-transaction-near-app', latency_ms: 10 }, to: { group: 'reconnecting', path: 'direct', latency_ms: 10 } },
    { name: 'keeping', says: 'no pooler: a connection kept, to one for each transaction', figure: 'p50',
      of: { group: 'kept', path: 'direct', latency_ms: 10 }, to: { group: 'reconnecting', path: 'direct', latency_ms: 10 } },
  ],
  charts: [
    { title: 'One statement, connection kept: ms a turn', kind: 'bars', figure: 'p50', x: 'path', series: 'latency_ms', of: { group: 'kept' } },
    { title: 'One statement, connection opened for it: ms a turn', kind: 'bars', figure: 'p50', x: 'path', series: 'latency_ms', of: { workload: 'reconnect-select', clients: 1, role: 'app' } },
    { title: 'Connect for each transaction, 10 clients: TPS', kind: 'bars', figure: 'tps', x: 'path', series: 'latency_ms', of: { group: 'throughput' } },
  ],
  full: { minutes: 48 },
}));
