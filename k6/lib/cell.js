// What every lesson shares: one repeat of one cell. A lesson is one file:
//
//   import { count, lesson } from '../lib/cell.js';
//
//   export { turn as default, handleSummary } from '../lib/cell.js';
//
//   export const options = lesson(() => ({ // a function, since only one of the VUs needs what it returns
//     lesson: '09-missed', title: '...', question: '...', explanation: '...', minutes: 1,
//     groups: [{ name: 'reads', workload: ['select', 'missed'], paths: ['pgpool'], latencies: [null], clients: [10],
//       params: { rows: 100 }, seconds: 2, warmup_seconds: 1 }],
//   }), {
//     // Workloads of its own, beside those in workloads.js. All but turn may be left out.
//     missed: {
//       keeps: true, // the client keeps its connection (the default); false: each turn gets a new one, closed after it
//       warm: 2, // turns of each client before the measured window opens (2)
//       setup(client, cell) { client.exec('SET jit = off'); }, // after each connect; with pods once a client
//       turn(client, cell) { // what is counted, timed and done over and over
//         const rows = client.query({ name: 'range', sql: 'SELECT aid FROM pgbench_accounts WHERE aid <= $1' }, cell.params.rows);
//         if (rows.length < cell.params.rows) count('lab_missed');
//       },
//       statements: ['range'], // named statements that are reported apart; no comma, colon or brace in a name
//       counters: ['lab_missed'], // what count(name, n = 1) may be given
//       trends: [], // what observe(name, milliseconds) may be given
//     },
//   });
//
// The client has exec, query, transaction, pipeline, copyIn and copyOut as k6/pg/index.d.ts has them: over a
// connection of its own or, where the cell has pods, over those of its pod's pool. cell is what settings.js lists:
// path, workload, clients, scale, params, ... clientTo('standby') makes one more client, of another path.
// What PostgreSQL or the network refuse is counted by SQLSTATE, and the client goes on: a turn needn't catch it.
//
// The lab says in LAB_CELL which cell it is. Alone (k6 run FILE) a lesson runs its first group's first cell on the
// direct path, LAB_GROUP=reads another group's, and each setting can be given: k6 run -e LAB_CLIENTS=20 FILE.
//
// It is one file, and workloads are made when they are asked for, since each of thousands of VUs evaluates all of it:
// a module takes 6 KB of each VU, an object with a function 1.3 KB.

import { sleep } from 'k6';
import { Counter, Trend } from 'k6/metrics';
import pg from 'k6/x/pg';
import { shared } from './workloads.js';

const SLACK = 20; // seconds beside the window that a script has by default
const RECONNECT_PAUSE = 0.1; // seconds
const TIME_TO_END = 5; // seconds to cancel, close and write the summary, at least
const PATIENCE = 15; // seconds for statements that outlast the window, at most
const STUCK = 0.5; // seconds after which a statement that outlasts its race is cancelled
const TURNS = 16; // of a closed loop in one iteration: what k6 does around an iteration costs it as much as a turn

const password = __ENV.PGPASSWORD || __ENV.APP_PASSWORD || '';
const meters = {}; // of the workload's own

let cell;
let workload;
let client;
let window;
let race;
let pace;

// lesson returns k6's options: one scenario that ends with the window, and
// what the lab reads of the lesson, which describe() returns. k6 reads them
// before it makes the VUs, and thousands of VUs have no room for a copy each.
export function lesson(describe, own = {}) {
  cell = settings(describe);
  workload = { keeps: true, warm: 2, statements: [], counters: [], trends: [], ...find(own, cell.workload) };
  define(workload);
  client = makeClient(cell, workload, () => race && race.connected());
  const { clients, transactions, rate, seconds, warmup_seconds: warmup } = cell;
  if (transactions > 0 && rate > 0) throw new Error('a cell has a rate or a number of transactions, not both');
  if (transactions > 0) race = pg.race({ clients, iterations: transactions, seconds });
  else window = pg.window({ clients, warmup, seconds });
  if (rate > 0) pace = pg.pace({ rate, clients });
  if (__VU > 0) return {};
  const lab = describe();
  for (const group of lab.groups || []) [group.workload].flat().forEach((name) => find(own, name));
  return {
    scenarios: { cell: scenario() },
    noCookiesReset: true, // nobody has cookies here
    systemTags: [], // one tag set fewer to make per sample
    ext: { lab },
  };
}

function find(own, name) {
  const found = own[name] || shared(name);
  if (!found) throw new Error(`no workload ${name}; this lesson has ${Object.keys(own).join(', ') || 'none of its own'}, all lessons those in workloads.js`);
  return found;
}

function scenario() {
  const { clients: vus, transactions, seconds } = cell;
  if (transactions > 0) {
    // Clients leave a race when its time is over; this is for those that wait for an answer.
    return { executor: 'per-vu-iterations', vus, iterations: 1, maxDuration: `${seconds + STUCK}s`, gracefulStop: '0s' };
  }
  const duration = cell.warmup_seconds + seconds;
  const patience = Math.min(PATIENCE, Math.max(1, cell.deadline_seconds - duration - TIME_TO_END));
  return { executor: 'constant-vus', vus, duration: `${duration}s`, gracefulStop: `${patience}s` };
}

export const handleSummary = () => ({});

let begun = false;

// turn is one k6 iteration: a paced turn, or several of a closed loop. A client's
// first one is its whole warm-up, or all of its turns where their number is given.
export function turn() {
  if (!begun) {
    begun = true;
    pg.seed(cell.seed && cell.seed * 65536 + __VU); // k6 has its own seed until here
    if (race) run();
    else warmUp();
    return;
  }
  if (pace) {
    if (pace.wait() && client.attempt()) pace.done();
    return;
  }
  for (let i = 0; i < TURNS && !window.over(); i++) client.attempt();
}

function warmUp() {
  for (let i = 0; i < workload.warm; i++) {
    if (!client.attempt()) {
      window.fail();
      return;
    }
  }
  window.ready();
}

// run does a fixed number of turns. A client that can't connect, or loses its
// connection, has failed for good.
function run() {
  race.start();
  for (let i = 0; i < cell.transactions; i++) {
    const done = client.attempt();
    if (done ? !race.iteration() : !client.alive()) break;
  }
  client.close();
  race.end();
}

// clientTo returns one more client: of another path than the cell's, without
// latency. It is the workload's to connect.
export function clientTo(path) {
  const dsn = cell.dsns[path];
  if (!dsn) throw new Error(`no way to the path ${path} is known, only to ${Object.keys(cell.dsns)}; alone, LAB_DSNS='{"${path}": "host=..."}' gives it`);
  return pg.client({ dsn, password, path, protocol: cell.protocol });
}

// makeClient returns a client of this VU that does a cell's workload: over a
// connection of its own, or its pod's pool. It calls connected() after each connect.
export function makeClient(ofCell, ofWorkload, connected) {
  cell = ofCell;
  workload = ofWorkload;
  const { path, protocol, instances, params } = cell;
  // A lesson that wants TLS says so: of two settings in a dsn the later one counts.
  const dsn = params.sslmode ? `${cell.dsn} sslmode=${params.sslmode}` : cell.dsn;
  const pooled = instances > 0;
  const client = pooled
    ? pg.pool({ dsn, password, path, protocol, size: cell.instance_pool, name: `instance ${(__VU - 1) % instances}` })
    : pg.client({ dsn, password, path, protocol });
  let open = false;
  let alive = true;

  function connect() {
    if (!pooled) client.connect();
    if (!pooled || fill(client) === cell.instance_pool) connected();
    if (workload.setup) workload.setup(client, cell);
    open = true;
  }

  // attempt takes one turn and returns whether it went well. The module has
  // counted what went wrong; the cell goes on.
  function attempt() {
    try {
      if (!open) connect();
      workload.turn(client, cell);
      return true;
    } catch (error) {
      if (error.name !== 'PgError') throw error;
      alive = client.connected();
      open = open && (pooled || alive);
      // A pace says when the next turn is due, after a failure too.
      if (!alive && !cell.rate && !cell.transactions) sleep(RECONNECT_PAUSE);
      return false;
    } finally {
      if (!workload.keeps && !pooled) {
        client.close();
        open = false;
      }
    }
  }

  return { attempt, alive: () => alive, close: () => pooled || client.close() };
}

// fill opens all connections of a pool, as far as the server lets it, and
// returns how many there are: what the server refuses has been counted, and
// the clients share what they have.
function fill(pool) {
  try {
    pool.fill();
  } catch (error) {
    if (error.name !== 'PgError') throw error;
  }
  return pool.stat().total;
}

// define makes the metrics that a workload lists.
function define({ counters, trends }) {
  for (const name of counters) meters[name] = new Counter(name);
  for (const name of trends) meters[name] = new Trend(name, true);
}

// count adds n to the workload's counter of that name.
export const count = (name, n = 1) => meter(name).add(n, { phase: pg.phase() });

// observe gives the workload's trend of that name one more value, in milliseconds.
export const observe = (name, milliseconds) => meter(name).add(milliseconds, { phase: pg.phase() });

function meter(name) {
  if (!meters[name]) throw new Error(`the workload lists no ${name}: it belongs into its counters or trends`);
  return meters[name];
}

// What a cell is. The lab gives it as JSON in LAB_CELL; a script that runs
// alone takes the first cell of the lesson's first group and these settings,
// each of which can be given: k6 run -e LAB_CLIENTS=20 -e LAB_PARAMS='{"rows": 10}' ...
const alone = {
  group: '', // alone, its name picks another group than the first
  path: 'direct',
  dsn: 'host=primary port=5432 dbname=lab user=app sslmode=disable',
  dsns: {}, // by path, of all available ones, without latency: what clientTo(path) connects to
  role: 'app', // how clients log in, as dsn and password have it: app, app_clear or app_trust
  link: '', // the one under study
  latency_ms: null, // of round trip that the link adds; null: no proxy in the way
  workload: 'select',
  params: {}, // of the workload; sslmode is the client's
  protocol: 'prepared', // simple, extended or prepared
  clients: 10,
  pool_size: 0, // server connections that PgBouncer may have; 0: as configured, or no PgBouncer
  instances: 0, // processes of an application that the clients are divided among; 0: a connection a client
  instance_pool: 0, // connections of each pod's pool
  transactions: 0, // that each client does before it disconnects; 0: as many as the window has room for
  rate: 0, // turns per second over all clients; 0: a turn begins when the one before it has ended
  seconds: 5, // least length of the measured window; with transactions the most it may last
  warmup_seconds: 1, // longest wait for the clients to be ready; what is left of it is measured too
  deadline_seconds: 0, // of the whole script: statements that hang are cancelled before it; 0: 20 s beside the window
  scale: 10, // pgbench's, of the data
  seed: 0, // of the random numbers; 0: others in each run
  summary: '', // file for the figures; empty: print them
};

// settings returns the cell.
function settings(describe) {
  const cell = __ENV.LAB_CELL ? { ...alone, ...JSON.parse(__ENV.LAB_CELL) } : given({ ...alone, ...firstOf(describe().groups || []) });
  cell.params = cell.params || {};
  cell.deadline_seconds = cell.deadline_seconds || cell.warmup_seconds + cell.seconds + SLACK;
  return cell;
}

// firstOf returns what the lesson says of its first group's first cell.
function firstOf(groups) {
  const group = groups.find(({ name }) => name === __ENV.LAB_GROUP) || groups[0] || {};
  const lists = { instances: group.instances, instance_pool: group.instance_pools, workload: group.workload, protocol: group.protocol, clients: group.clients };
  const cell = Object.fromEntries(Object.entries(group).filter(([name]) => name in alone));
  for (const [name, list] of Object.entries(lists)) {
    if (list !== undefined) cell[name] = [list].flat()[0];
  }
  return cell;
}

// given puts the environment's settings in the place of those in cell.
function given(cell) {
  const settings = Object.entries(cell).map(([name, value]) => {
    const text = __ENV[`LAB_${name.toUpperCase()}`];
    if (text === undefined) return [name, value];
    return [name, typeof alone[name] === 'string' ? text : JSON.parse(text)];
  });
  return Object.fromEntries(settings);
}
