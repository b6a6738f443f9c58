// What becomes of prepared statements when a pooler lies in between?
//
//   scripts/run 07-prepared             5 minutes
//   scripts/run 07-prepared --full      longer, and 50 clients
//   scripts/k6 run -e LAB_PROTOCOL=simple k6/lessons/07-prepared.js
//
// Expect: where PgBouncer keeps them, prepared statements work and pay off;
// where it doesn't, one client alone notices nothing and ten get errors.

import { lesson } from '../lib/cell.js';

export { turn as default, handleSummary } from '../lib/cell.js';

const MISSING = 'errors:26000'; // prepared statement does not exist
const TWICE = 'errors:42P05'; // prepared statement already exists
const protocol = ['simple', 'extended', 'prepared'];
const cells = { workload: 'select', protocol, clients: [10], latencies: [null], seconds: 1.5, warmup_seconds: 0.8, figures: ['tps', 'p50', 'round_trips'] };
const forgetful = { ...cells, settings: { pgbouncer: { max_prepared_statements: '0' } }, repeats: 1, figures: ['tps', MISSING, TWICE] };
const asked = (group, path, protocol, latency_ms = null) => ({ group, path, protocol, latency_ms, clients: 10 });
const tps = (path, of, to) => ({ figure: 'tps', of: asked('capacity', path, of), to: asked('capacity', path, to) });
const time = (of, to) => ({ figure: 'statement', of: { group: 'paced', protocol: of }, to: { group: 'paced', protocol: to } });

export const options = lesson(() => ({
  lesson: '07-prepared',
  title: 'Prepared statements',
  question: 'What becomes of simple, extended and prepared statements when a pooler lies in between?',
  prediction: 'PgBouncer pools transactions and forgets prepared statements (max_prepared_statements = 0). Ten clients use one each. What does one client alone see, what do ten?',
  explanation: 'A prepared statement lives in one server connection. With transaction pooling the next transaction may get another one, '
    + 'which has never heard of it (SQLSTATE 26000), or already has one of that name (42P05). With max_prepared_statements above 0, PgBouncer '
    + 'keeps the texts and prepares them wherever a client lands, unasked. Simple and extended statements carry their text along and work '
    + 'everywhere. In round trips, all three cost one a statement; preparing costs one more, once a connection, so that it '
    + 'never pays for a connection opened for one statement. What prepared statements save is parsing and planning in the server. '
    + 'Pgpool-II has more to do with the extended protocol\'s several messages than with one simple message.',
  minutes: 5,
  groups: [
    { ...cells, name: 'capacity', paths: ['direct', 'pgbouncer-transaction'], repeats: 6, full: { clients: [10, 50], seconds: 10 } },
    // Ten clients that never wait fill two cores where Pgpool-II lies in between: its time is measured at a low rate.
    { ...cells, name: 'paced', paths: ['pgpool'], clients: [1], rate: 37, repeats: 6, figures: ['p50', 'statement'], full: { seconds: 10 } },
    { ...cells, name: 'capacity-pgpool', paths: ['pgpool'], repeats: 1 },
    { ...cells, name: 'far', paths: ['direct', 'pgbouncer-transaction', 'pgpool'], latencies: [10], repeats: 1, full: { seconds: 10 } },
    { ...forgetful, name: 'forgetful', paths: ['pgbouncer-transaction'], latencies: [null, 10], clients: [1, 10] },
    { ...forgetful, name: 'forgetful-session', paths: ['pgbouncer-session'] },
    { ...cells, name: 'once', workload: 'reconnect-select', paths: ['direct', 'pgbouncer-transaction'], latencies: [10], clients: [1], rate: 7, repeats: 1, figures: ['p50', 'connect', 'round_trips'] },
  ],
  headlines: [
    { name: 'direct', says: 'no pooler: TPS of prepared statements, to simple ones', ...tps('direct', 'prepared', 'simple') },
    { name: 'pgbouncer', says: 'PgBouncer: TPS of prepared statements, to simple ones', ...tps('pgbouncer-transaction', 'prepared', 'simple') },
    { name: 'extended', says: 'PgBouncer: TPS of extended statements, to simple ones', ...tps('pgbouncer-transaction', 'extended', 'simple') },
    { name: 'extended-pgpool', says: 'Pgpool-II: time of extended statements, to simple ones', ...time('extended', 'simple') },
    { name: 'prepared-pgpool', says: 'Pgpool-II: time of prepared statements, to simple ones', ...time('prepared', 'simple') },
    { name: 'pooled', says: 'TPS of prepared statements: PgBouncer, to no pooler', figure: 'tps',
      of: asked('capacity', 'pgbouncer-transaction', 'prepared'), to: asked('capacity', 'direct', 'prepared') },
  ],
  charts: [
    { title: 'TPS by protocol, 10 clients', kind: 'bars', figure: 'tps', x: 'path', series: 'protocol', of: { group: 'capacity' } },
    { title: 'Without prepared statements kept: errors', kind: 'bars', figure: 'errors', x: 'clients', series: 'protocol', of: { group: 'forgetful', latency_ms: null } },
    { title: 'A connection for each statement at 10 ms: round trips', kind: 'bars', figure: 'round_trips', x: 'path', series: 'protocol', of: { group: 'once' } },
  ],
  full: { minutes: 21 },
}));
