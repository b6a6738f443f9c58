// What the lab's scripts share: one repeat of one cell. A script names its workloads, and exports each of them:
//
//   import { account, counter, options as cellOptions, workload } from '../lib/lab.js';
//
//   export const options = cellOptions();          // one scenario: the cell that runs
//
//   const missed = counter('lab_missed');          // a Counter whose values say in which phase they were counted
//
//   export const select = workload((client, cell) => {
//     client.exec('SELECT abalance FROM pgbench_accounts WHERE aid = $1', account());
//   });
//
//   export default select;
//
// workload(settings, iteration) takes settings before the function. All of them may be left out:
//
//   keeps   whether the client keeps its connection (true); false: each iteration connects anew, and closes, and its
//           response time includes the connect
//   warm    iterations of each client before the measured window opens (2)
//   setup   (client, cell) => {}: called after each connect; where instances have pools, once a client
//
// The client has exec, query, transaction, pipeline, copyIn and copyOut, as k6/pg/index.d.ts has them: over a
// connection of its own or, in a cell with application instances, over those of its instance's pool. What PostgreSQL or
// the network refuse is counted by SQLSTATE, and the client goes on: an iteration needn't catch it.
//
// Which cell it is stands in the environment, in LAB_CELL: `scripts/run` and `scripts/k6` put it there, and a scenario
// may have an env of its own. These are its keys (those that are lists in a plan are one value here):
//
//   path, dsn, role, link, latency_ms, workload, params, protocol, clients, pool_size, instances, instance_pool,
//   transactions (of each client; 0: as many as the window has room for),
//   batch (iterations in one of k6's; 0: enough that k6's own work around them doesn't count),
//   rate (iterations per second over all clients; 0: closed loop),
//   seconds (of the measured window, or the most that transactions may take; 0: no window, until k6 is ended),
//   warmup_seconds (most that clients may take to be ready), deadline_seconds (of the whole script),
//   scale (pgbench's, of the data), seed (of random numbers; 0: others in each run)
//
// A VU reads it in its first iteration, not when k6 evaluates this file. k6 does that for each of thousands of VUs, and
// a module takes 6 KB of each: that is why this is one file.

import { sleep } from 'k6';
import { Counter, Trend } from 'k6/metrics';
import pg from 'k6/x/pg';

const RECONNECT_PAUSE = 0.1; // seconds
const TIME_TO_END = 5; // seconds to cancel, close and write the summary, at least
const PATIENCE = 15; // seconds for statements that outlast the window, at most
const STUCK = 0.5; // seconds after which a statement that outlasts its race is cancelled
const BATCH = 16; // iterations of a closed loop in one of k6's, around which k6 does as much work as one takes

let scale = 1; // of the data; read with the cell

// What pgbench draws for its transactions.
const upTo = (most) => 1 + Math.floor(Math.random() * most);
export const account = () => upTo(100000 * scale);
export const branch = () => upTo(scale);
export const teller = () => upTo(10 * scale);
export const delta = () => upTo(10001) - 5001;

// firstOf draws the first of so many accounts in a row.
export const firstOf = (rows) => upTo(Math.max(1, 100000 * scale - rows + 1));

// options returns k6's options for the cell: one scenario, which ends with the measured window. k6 wants them before it
// makes the VUs, and uses those of its first evaluation alone.
export function options() {
  if (__VU > 0 || !__ENV.LAB_CELL) return {};
  return { scenarios: { cell: scenario(JSON.parse(__ENV.LAB_CELL)) }, ...cheaply };
}

// cheaply is what spares k6 work: nobody has cookies here, and each tag is one tag set more to make.
export const cheaply = { noCookiesReset: true, systemTags: [] };

function scenario(cell) {
  const { workload: exec, clients: vus, transactions, seconds } = cell;
  if (transactions > 0) {
    return {
      executor: 'per-vu-iterations',
      exec,
      vus,
      iterations: 1,
      maxDuration: `${seconds + STUCK}s`, // for clients that wait for an answer; the others leave when time is over
      gracefulStop: '0s',
    };
  }
  const duration = cell.warmup_seconds + seconds;
  const patience = Math.min(PATIENCE, Math.max(1, cell.deadline_seconds - duration - TIME_TO_END));
  return { executor: 'constant-vus', exec, vus, duration: `${duration}s`, gracefulStop: `${patience}s` };
}

// workload returns the function that k6 is to call: with several of the client's iterations each time, the first time
// with its whole warm-up, or with all of its work where that is fixed.
export function workload(settings, iteration) {
  if (!iteration) return workload({}, settings);
  let more;
  return () => {
    if (more) more();
    else more = begin(settings, iteration);
  };
}

// begin is a client's first time. It returns what the client does each time after that.
function begin(settings, iteration) {
  if (!__ENV.LAB_CELL) throw new Error('start this script with scripts/k6, which says where to connect');
  const cell = JSON.parse(__ENV.LAB_CELL);
  scale = cell.scale;
  pg.seed(cell.seed && cell.seed * 65536 + __VU); // k6 has its own seed until here
  const { clients, transactions, rate, seconds, warmup_seconds: warmup } = cell;
  if (transactions > 0) {
    const race = pg.race({ clients, iterations: transactions, seconds });
    return fixedWork(race, makeClient(cell, settings, iteration, race.connected), transactions);
  }
  const client = makeClient(cell, settings, iteration, () => {});
  const window = seconds > 0 && pg.window({ clients, warmup, seconds });
  const pace = rate > 0 && pg.pace({ rate, clients });
  if (window) warmUp(window, client, settings.warm === undefined ? 2 : settings.warm);
  if (pace) return () => pace.wait() && client.attempt() && pace.done();
  const batch = cell.batch || BATCH;
  return () => {
    for (let i = 0; i < batch && !(window && window.over()); i++) client.attempt();
  };
}

function warmUp(window, client, iterations) {
  for (let i = 0; i < iterations; i++) {
    if (!client.attempt()) return window.fail();
  }
  return window.ready();
}

// fixedWork does a number of iterations. A client that can't connect, or loses its connection, has failed for good.
function fixedWork(race, client, iterations) {
  race.start();
  for (let i = 0; i < iterations; i++) {
    const done = client.attempt();
    if (done ? !race.iteration() : !client.alive()) break;
  }
  client.close();
  race.end();
  return () => {};
}

// makeClient returns a client of this VU that does a cell's workload. It calls connected() after each connect.
function makeClient(cell, { keeps = true, setup }, iteration, connected) {
  const { path, protocol, instances, instance_pool: size, params, rate } = cell;
  // A plan that wants TLS says so: of two settings in a dsn the later one counts.
  const dsn = params.sslmode ? `${cell.dsn} sslmode=${params.sslmode}` : cell.dsn;
  const pooled = instances > 0;
  const client = pooled
    ? pg.pool({ dsn, path, protocol, size, name: `instance ${(__VU - 1) % instances}` })
    : pg.client({ dsn, path, protocol });
  const connects = !keeps && !pooled;
  const timed = !keeps && !(rate > 0); // a pace has its own response times
  const iterations = pg.iterations({ path, connects, timed });
  let open = false;
  let alive = true;

  function connect() {
    if (!pooled) client.connect();
    if (!pooled || fill(client) === size) connected();
    if (setup) setup(client, cell);
    open = true;
  }

  // attempt does one iteration and returns whether it went well. The module has counted what went wrong. Where each
  // iteration connects, its response time includes that, and ends with its last statement.
  function attempt() {
    try {
      if (timed) iterations.begin();
      if (!open) connect();
      iteration(client, cell);
      iterations.done();
      return true;
    } catch (error) {
      if (error.name !== 'PgError') throw error;
      alive = client.connected();
      open = open && (pooled || alive);
      // An open loop says when the next iteration is due, after a failure too.
      const closedLoop = !rate && !cell.transactions;
      if (closedLoop && (!alive || !cell.seconds)) sleep(RECONNECT_PAUSE);
      return false;
    } finally {
      if (connects) {
        client.close();
        open = false;
      }
    }
  }

  return { attempt, alive: () => alive, close: () => pooled || client.close() };
}

// fill opens all connections of a pool, as far as the server lets it, and returns how many there are: what the server
// refuses has been counted, and the clients share what they have.
function fill(pool) {
  try {
    pool.fill();
  } catch (error) {
    if (error.name !== 'PgError') throw error;
  }
  return pool.stat().total;
}

// counter makes a Counter, and trend a Trend of milliseconds. Values get the phase of the VU's last statement as a tag.
export const counter = (name) => inItsPhase(new Counter(name));
export const trend = (name) => inItsPhase(new Trend(name, true));

function inItsPhase(metric) {
  return {
    add(value = 1) {
      const phase = pg.phase();
      metric.add(value, phase ? { phase } : {});
    },
  };
}
