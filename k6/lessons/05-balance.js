// Balancing: when does spreading reads over two servers pay, and what does it break?
//
//   scripts/run 05-balance, or alone: scripts/k6 run -e LAB_GROUP=heavy-many -e LAB_CLIENTS=50 k6/lessons/05-balance.js
//
// Expect: Pgpool-II parses each statement and is a hop more, so one client is slower through it. Where statements are
// heavy or clients many, the second server outweighs that. And a read may miss what its own client has just written.

import { count, lesson } from '../lib/cell.js';

export { turn as default, handleSummary } from '../lib/cell.js';

const BY_KEY = 'SELECT abalance FROM pgbench_accounts WHERE aid = $1';
const key = () => 1 + Math.floor(Math.random() * 100000);
const reading = (sql) => ({ turn: (client) => client.exec(sql, key()) });
const write = (to, value) => to.exec('UPDATE pgbench_tellers SET tbalance = $1 WHERE tid = $2', value, __VU); // a row for each client
const look = (from, value) => count(from.query('SELECT tbalance FROM pgbench_tellers WHERE tid = $1', __VU)[0].tbalance === value ? 'lab_fresh' : 'lab_stale');
const writeAndLook = (client) => { const value = key(); write(client, value); look(client, value); };

const own = {
  plain: reading(BY_KEY),
  'in-begin': { turn: (client) => client.transaction((tx) => tx.exec(BY_KEY, key())) },
  'begin-write': { turn: (client) => client.transaction((tx) => { write(tx, 0); tx.exec(BY_KEY, key()); }) },
  function: reading('SELECT abalance, random() FROM pgbench_accounts WHERE aid = $1'),
  comment: reading(`/*NO LOAD BALANCE*/ ${BY_KEY}`),
  several: reading(`${BY_KEY}; SELECT 1`),
  'reconnect-each': { ...reading(BY_KEY), keeps: false },
  'write-read': { counters: ['lab_fresh', 'lab_stale'], turn: writeAndLook },
  'write-read-begin': { counters: ['lab_fresh', 'lab_stale'], turn: (client) => client.transaction(writeAndLook) },
  // Four clients update, and pages that they fill are cleaned up as they go; the others draw until they have the standby.
  'long-read': {
    warm: 0, statements: ['long'],
    setup(client) { while (__VU > 4 && client.query('SELECT current_setting($1) AS mode', 'transaction_read_only')[0].mode !== 'on') client.connect(); },
    turn: (client) => (__VU > 4 ? client.exec({ name: 'long', sql: 'SELECT count(*) FROM pgbench_tellers a, pgbench_tellers b, pgbench_tellers c' })
      : client.exec('UPDATE pgbench_branches SET bbalance = bbalance + 1 WHERE bid = $1', __VU)),
  },
};

const simple = { latencies: [null], protocol: 'simple', seconds: 1, warmup_seconds: 0.6, figures: ['tps', 'p50', 'p95', 'selects_primary', 'selects_standby', 'standby_share', 'cpu_database', 'cpu_pooler', 'throttled_database', 'throttled_pooler'], full: { seconds: 30 } };
const [light, heavy] = ['select', 'select-heavy'].map((workload) => ({ ...simple, paths: ['direct', 'pgpool'], workload }));
const fresh = { ...simple, paths: ['pgpool'], workload: 'write-read', clients: [20], seconds: 2, warmup_seconds: 1.5, writes: true, figures: ['tps', 'counter:lab_fresh', 'counter:lab_stale', 'standby_share'] };
const long = { ...fresh, workload: 'long-read', clients: [8], seconds: 3, figures: ['tps', 'statement:long', 'errors:40001', 'standby_share'] };
const pays = (group, more) => ({ figure: 'tps', of: { group, path: 'pgpool', ...more }, to: { group, path: 'direct', ...more } });
const stays = (workload) => ({ figure: 'standby_share', of: { group: 'rules', workload }, is: 'less', than: 0.01 });
const saw = (what, said, group, path, figure = 'tps', more = {}) => ({ what, said, figure, of: { group, path, ...more } });

export const options = lesson(() => ({
  lesson: '05-balance',
  title: 'Balancing',
  question: 'How many clients, or how heavy a statement, does it take until a second server for reads is worth its balancer?',
  prediction: 'Pgpool-II in front of two servers, 90 clients that read by key: more or fewer reads a second than one server alone? And with one client?',
  explanation: 'Pgpool-II reads and parses each statement before it sends it on: a hop and a parse, paid each time. While one server keeps up that is all one gets. Once its budget is used up the second one\'s counts: with heavy statements at a few '
    + 'clients, with light ones at many if at all, since there Pgpool-II\'s own budget runs out as well. Balanced is what can\'t write: a SELECT, in a BEGIN block too as long as that has not written. Volatile functions, several statements in one '
    + 'string and a NO LOAD BALANCE comment go to the primary. The node is drawn once a session, like a coin; each statement draws its own where statement_level_load_balance is on. The standby follows a moment later, so a read right after a '
    + 'write may miss it, the more so the farther the standby is; in the same transaction it can\'t. A long read on the standby is cancelled when the primary cleans up rows that it still sees, unless replay waits for it '
    + '(max_standby_streaming_delay) or the primary hears of it (hot_standby_feedback).',
  minutes: 5,
  groups: [
    { ...light, name: 'light-one', clients: [1], repeats: 6 },
    { ...light, name: 'light-many', clients: [90], warmup_seconds: 3, fill_pools: true, repeats: 6 },
    { ...light, name: 'light', clients: [5, 35, 45], warmup_seconds: 2, full: { clients: [5, 10, 15, 20, 25, 30, 35, 40, 45], seconds: 30 } },
    { ...heavy, name: 'heavy-one', clients: [1], repeats: 6 },
    { ...heavy, name: 'heavy-many', clients: [20], warmup_seconds: 1.5, repeats: 6 },
    { ...heavy, name: 'heavy', clients: [2, 5], full: { clients: [2, 5, 10, 35, 45, 90], seconds: 30, warmup_seconds: 8 } },
    { ...simple, name: 'rules', paths: ['pgpool'], clients: [20], warmup_seconds: 1.5, workload: ['plain', 'in-begin', 'begin-write', 'function', 'comment', 'several'], figures: ['standby_share', 'tps', 'p50'] },
    { ...simple, name: 'drawn', paths: ['pgpool'], clients: [1], workload: ['plain', 'reconnect-each'], figures: ['standby_share', 'tps', 'p50'] },
    { ...fresh, name: 'stale' },
    { ...fresh, name: 'stale-far', replication_ms: 20 },
    { ...fresh, name: 'fresh', workload: 'write-read-begin', replication_ms: 20 },
    ...Object.entries({ cancelled: ['100ms', 'off'], patient: ['30s', 'off'], feedback: ['100ms', 'on'] }).map(([name, [max_standby_streaming_delay, hot_standby_feedback]]) => (
      { ...long, name, settings: { standby: { max_standby_streaming_delay, hot_standby_feedback } } })),
  ],
  headlines: [
    { name: 'light, one client', says: 'SELECT by key, 1 client: TPS through Pgpool-II, to direct', ...pays('light-one') },
    { name: 'light, many clients', says: 'SELECT by key, 90 clients: TPS through Pgpool-II, to direct', ...pays('light-many') },
    { name: 'heavy, one client', says: 'SELECT over 2000 rows, 1 client: TPS through Pgpool-II, to direct', ...pays('heavy-one') },
    { name: 'heavy, many clients', says: 'SELECT over 2000 rows, 20 clients: TPS through Pgpool-II, to direct', ...pays('heavy-many') },
  ],
  study: {
    title: 'When Pgpool-II\'s load balancing pays', source: 'Usama, HighGo',
    setup: 'pgbench, SELECT by key at scale 100, 30 s; primary and standby each a server of one CPU, Pgpool-II a small server of its own. Clients as there; the statement by which one statement was timed is SELECT version().',
    figures: [
      saw('one statement, direct', '0.523 ms', 'light-one', 'direct', 'p50'), saw('the same, Pgpool-II', '1.115 ms', 'light-one', 'pgpool', 'p50'),
      ...[[5, ['5144', '0.972'], ['3946', '1.267']], [35, ['6295', '5.560'], ['5875', '5.958']], [45, ['4618', '9.744'], ['5912', '7.611']]].flatMap(([clients, ...both]) => both.flatMap(([tps, ms], i) => [
        saw(`${clients} clients, ${['direct', 'Pgpool-II'][i]}`, `${tps} TPS`, 'light', light.paths[i], 'tps', { clients }), saw('the same, mean', `${ms} ms`, 'light', light.paths[i], 'mean', { clients })])),
    ],
    shapes: [
      { name: 'few', says: 'direct wins while one server keeps up', all: [{ ...pays('light-one'), is: 'less' }] },
      { name: 'flips', says: 'once it is saturated the second server\'s capacity wins', all: [{ ...pays('light-many'), is: 'more' }, { ...pays('heavy-many'), is: 'more' }] },
      { name: 'heavy-sooner', says: 'heavy statements flip at fewer clients than light ones', all: [{ ...pays('heavy', { clients: 5 }), is: 'more' }, { ...pays('light', { clients: 5 }), is: 'less' }] },
      { name: 'not-balanced', says: 'functions that may write and NO LOAD BALANCE comments stay on the primary', all: ['function', 'comment'].map(stays) },
      { name: 'begin', says: 'SELECTs within an explicit transaction stay on the primary', all: [stays('in-begin')] },
    ],
  },
  charts: [
    ...[['Light reads', 'select'], ['Heavy reads', 'select-heavy']].map(([title, workload]) => ({ title, kind: 'lines', figure: 'tps', x: 'clients', series: 'path', of: { workload }, log: 'x' })),
    { title: 'What goes to the standby', kind: 'bars', figure: 'standby_share', x: 'workload', of: { group: 'rules' }, note: 'Each of 20 sessions draws its node like a coin: about half where a statement may be balanced, nothing where not.' },
  ],
  full: { minutes: 52, scale: 100, max_connections: 600, node_memory_gb: 1, host_memory_gb: 4, files: 2000 },
}), own);
