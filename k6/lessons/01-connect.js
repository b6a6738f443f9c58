// What does a new connection cost?
//
//   scripts/run 01-connect              5 minutes
//   scripts/run 01-connect --full       every path, longer, and over up to 100 ms
//   scripts/k6 run -e LAB_GROUP=distance k6/lessons/01-connect.js
//
// Expect: authentication decides more than the pooler does: without a password
// PgBouncer is far cheaper than PostgreSQL, with one that it must hash it costs as much or more.

import { lesson } from '../lib/cell.js';
import { shared } from '../lib/workloads.js';
export { turn as default, handleSummary } from '../lib/cell.js';

const figures = ['connect', 'connect_p95', 'connect_first_query', 'dial', 'tls', 'auth', 'round_trips'];
// Rates stay below what the slowest path takes, and out of step with the 100 ms slices of the CPU budgets.
const paced = { workload: 'connect', protocol: 'simple', clients: [1], rate: 11, latencies: [null], seconds: 1.1, warmup_seconds: 0.4, repeats: 6,
  figures, full: { seconds: 10 } };
const once = { ...paced, repeats: 1 };
const first = { ...once, seconds: 1, repeats: 3, figures: ['first_connect', 'first_connect_query', 'later_connect', 'later_connect_query'], full: { repeats: 10 } };
const pooled = { paths: ['pgbouncer-transaction'], roles: ['app_trust'] }; // as the study's seem to have been
// An open model: connects begin when they are due, however many are still under way.
const churn = { ...once, workload: 'churn', clients: [200], paths: ['direct', 'pgbouncer-transaction', 'pgpool'], fill_pools: true, seconds: 2, warmup_seconds: 0.2,
  figures: ['tps', 'p50', 'p95', 'errors:53300', 'counter:pg_late', 'counter:pg_dropped'] };
const login = (path, role) => ({ group: 'login', path, role });
const cheaper = (role) => ({ figure: 'connect', of: login('pgbouncer-transaction', role), to: login('direct', role) });
const far = (role, path = 'direct') => ({ group: 'far', path, role, latency_ms: 10 });
const start = (group, path) => ({ group, path });

export const options = lesson(() => ({
  lesson: '01-connect',
  title: 'Connecting',
  question: 'What does a new connection cost, on which path, and what of it is authentication?',
  prediction: 'Which is the cheapest to connect to with a password: PostgreSQL itself, PgBouncer or Pgpool-II? And does it matter where PgBouncer knows the password from?',
  explanation: 'A backend of PostgreSQL is a process that is forked and loads its caches; PgBouncer hands out one that is there. But who proves '
    + 'knowledge of a password by SCRAM hashes it 4096 times: the client always does, PostgreSQL and a pooler that holds the '
    + 'SCRAM secret never do, and a pooler that holds the clear password does it again at each login. In round trips a connect is one without '
    + 'a password and three with SCRAM. toxiproxy doesn\'t delay TCP\'s own handshake (the dial column): a real network adds that round trip, so '
    + 'four with SCRAM. The first connection to a database builds its relation cache, the first through an empty pool opens a '
    + 'server connection: each is paid once and stands apart. A connection that the application keeps costs nothing but its statement.',
  minutes: 5,
  groups: [
    { ...paced, name: 'login', paths: ['direct', 'pgbouncer-transaction'], roles: ['app_trust', 'app', 'app_clear'] },
    { ...paced, name: 'login-pgpool', paths: ['pgpool'], fill_pools: true },
    { ...once, name: 'pgpool-trust', paths: ['pgpool'], roles: ['app_trust'], fill_pools: true },
    { ...paced, name: 'kept', paths: ['app-pool'] },
    { ...paced, name: 'far', paths: ['direct'], roles: ['app_trust', 'app'], latencies: [10] },
    { ...once, name: 'tls', paths: ['direct', 'pgbouncer-transaction'], latencies: [10], params: { sslmode: 'require' } },
    { ...once, name: 'paths', paths: ['socket', 'standby', 'pgbouncer-session', 'yugabyte', 'pgbouncer-yugabyte'], full: { paths: ['*'], repeats: 6 } },
    { ...once, name: 'distance', paths: ['direct', 'pgbouncer-transaction', 'pgbouncer-transaction-near-app'], rate: 7, latencies: [0, 20], seconds: 1.6, full: { paths: ['*'], latencies: [0, 1, 10, 20, 100], clients: [10], fill_pools: true, warmup_seconds: 6 } },
    { ...first, name: 'first-of-database', paths: ['direct'], fresh_database: true },
    { ...first, name: 'first-of-client', paths: ['direct'] },
    { ...first, ...pooled, name: 'first-of-cold-pool' },
    { ...first, ...pooled, name: 'first-of-warm-pool', fill_pools: true },
    ...[50, 150, 400].map((rate) => ({ ...churn, name: `churn-${rate}`, rate })),
    { ...churn, name: 'refused', workload: 'stay', paths: ['direct', 'pgbouncer-transaction'], clients: [700], rate: 100, seconds: 1, warmup_seconds: 11, figures: ['errors:53300', 'backends', 'memory_database_mb', 'p50'] },
  ],
  headlines: [
    { name: 'trust', says: 'connect without a password: PgBouncer, to PostgreSQL', ...cheaper('app_trust') },
    { name: 'secret', says: 'connect with SCRAM: PgBouncer that holds the secret, to PostgreSQL', ...cheaper('app') },
    { name: 'clear', says: 'connect with SCRAM: PgBouncer that holds the clear password, to PostgreSQL', ...cheaper('app_clear') },
    { name: 'pgpool', says: 'connect and first statement with SCRAM: Pgpool-II, to PostgreSQL', figure: 'connect_first_query', of: { group: 'login-pgpool' }, to: login('direct', 'app') },
    { name: 'distance', says: 'connect at 10 ms: with SCRAM, to without a password', figure: 'connect', of: far('app'), to: far('app_trust') },
    { name: 'kept', says: 'a turn: on a connection that the application keeps, to one opened through PgBouncer without a password', figure: 'p50', of: { group: 'kept' }, to: login('pgbouncer-transaction', 'app_trust') },
  ],
  study: {
    title: 'Postgres and Yugabyte connection latency',
    source: 'Hoogland, 2022',
    setup: 'connection-profiler, five connects in a row, in microseconds there and milliseconds here. How they authenticated isn\'t said; the figures look '
      + 'like no password (app_trust). Medians of the five, the first through PgBouncer apart.',
    figures: [
      { what: 'PostgreSQL direct', said: '2.66 ms', figure: 'connect', of: login('direct', 'app_trust') },
      { what: 'through PgBouncer, after the first', said: '0.69 ms', figure: 'connect', of: login('pgbouncer-transaction', 'app_trust') },
      { what: 'through PgBouncer, the first', said: '1.46 ms', figure: 'first_connect', of: start('first-of-cold-pool', 'pgbouncer-transaction') },
      { what: 'YSQL direct (with SCRAM here)', said: '15.8 ms', figure: 'connect', of: { group: 'paths', path: 'yugabyte' } },
      { what: 'YSQL through PgBouncer, after the first (with SCRAM here)', said: '0.59 ms', figure: 'connect', of: { group: 'paths', path: 'pgbouncer-yugabyte' } },
    ],
    shapes: [
      { name: 'pgbouncer-cheaper', says: 'PgBouncer is cheaper to connect to than PostgreSQL, without a password', all: [{ ...cheaper('app_trust'), is: 'less' }] },
      { name: 'ysql-dearest', says: 'YSQL is dearer to connect to than PostgreSQL', all: [{ figure: 'connect', of: { group: 'paths', path: 'yugabyte' }, to: login('direct', 'app'), is: 'more' }] },
      { name: 'behind-pgbouncer-alike', says: 'behind PgBouncer both databases cost the same, and less than PostgreSQL', all: [['pgbouncer-transaction', 'less', 1.25], ['pgbouncer-transaction', 'more', 0.8], ['direct', 'less', 1]].map(
        ([path, is, than]) => ({ figure: 'connect', of: { group: 'paths', path: 'pgbouncer-yugabyte' }, to: login(path, 'app'), is, than })) },
      { name: 'first-of-database', says: 'the first connection to a database is dearer', all: [{ figure: 'first_connect_query', of: start('first-of-database', 'direct'), to: start('first-of-client', 'direct'), is: 'more' }] },
      { name: 'first-of-pool', says: 'the first connection through a cold pool is dearer, with its first statement', all: [{ figure: 'first_connect_query', of: start('first-of-cold-pool', 'pgbouncer-transaction'), to: start('first-of-warm-pool', 'pgbouncer-transaction'), is: 'more' }] },
      { name: 'own-pool-beats-all', says: 'a pool inside the application beats all', all: ['direct', 'pgbouncer-transaction'].map((path) => (
        { figure: 'p50', of: { group: 'kept' }, to: login(path, 'app_trust'), is: 'less' })) },
    ],
  },
  charts: [
    { title: 'Phases of a connect', kind: 'stack', parts: ['dial', 'tls', 'auth'], x: 'path', series: 'role', of: { group: 'login' }, note: 'Nothing asks for TLS here; group tls does.' },
    { title: 'Connect over latency', kind: 'lines', figure: 'connect', x: 'latency_ms', series: 'path', of: { group: 'distance' } },
    { title: 'Connects a second that came about', kind: 'lines', figure: 'tps', x: 'rate', series: 'path', of: { workload: 'churn', clients: 200 },
      note: 'Where a line falls behind the rate on the axis, connects queue.' },
  ],
  full: { minutes: 24, node_memory_gb: 2, files: 2000 },
}), {
  churn: { ...shared('connect'), warm: 0 },
  // Connects once and stays, as applications with a pool do when there are too many of them.
  stay: { ...shared('connect'), keeps: true, warm: 1 },
});
