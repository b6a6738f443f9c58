// What every lesson shares: one repeat of one cell. A lesson is one file:
//
//   import { count, lesson } from '../lib/cell.js';
//
//   export { turn as default, handleSummary } from '../lib/cell.js';
//
//   export const options = lesson({
//     lesson: '09-missed', title: '...', question: '...', explanation: '...', minutes: 1,
//     groups: [{ name: 'reads', workload: ['select', 'missed'], paths: ['pgpool'], latencies: [null], clients: [10],
//       params: { rows: 100 }, seconds: 2, warmup_seconds: 1 }],
//   }, {
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

import { randomSeed } from 'k6';
import exec from 'k6/execution';
import pg from 'k6/x/pg';
import { makeClient } from './client.js';
import { define } from './meters.js';
import { settings } from './settings.js';
import { summarize, thresholds, trendStats } from './summary.js';
import { workloads as shared } from './workloads.js';

export { clientTo } from './client.js';
export { count, observe } from './meters.js';

const TIME_TO_END = 5; // seconds to cancel, close and write the summary
const STUCK = 0.5; // seconds after which a statement that outlasts its race is cancelled
const TURNS = 16; // of a closed loop in one iteration: what k6 does around an iteration costs it as much as a turn

let cell;
let workload;
let client;
let window;
let race;
let pace;

// lesson returns k6's options: one scenario that ends with the window, and
// what the lab reads of the lesson. k6 reads them before it makes the VUs, and
// thousands of VUs have no room for a copy each.
export function lesson(lab, own = {}) {
  const workloads = { ...shared, ...own };
  cell = settings(lab);
  workload = { keeps: true, warm: 2, statements: [], counters: [], trends: [], ...find(workloads, cell.workload) };
  define(workload);
  client = makeClient(cell, workload, () => race && race.connected());
  const { clients, transactions, rate, seconds, warmup_seconds: warmup } = cell;
  if (transactions > 0 && rate > 0) throw new Error('a cell has a rate or a number of transactions, not both');
  if (transactions > 0) race = pg.race({ clients, turns: transactions, seconds });
  else window = pg.window({ clients, warmup, seconds });
  if (rate > 0) pace = pg.pace({ rate, clients });
  if (__VU > 0) return {};
  for (const group of lab.groups || []) [group.workload].flat().forEach((name) => find(workloads, name));
  return {
    scenarios: { cell: scenario() },
    summaryTrendStats: trendStats,
    thresholds: thresholds(workload),
    noCookiesReset: true, // nobody has cookies here
    systemTags: [], // one tag set fewer to make per sample
    ext: { lab },
  };
}

function find(workloads, name) {
  if (!workloads[name]) throw new Error(`no workload ${name}; there are ${Object.keys(workloads)}`);
  return workloads[name];
}

function scenario() {
  const { clients: vus, transactions, seconds } = cell;
  if (transactions > 0) {
    // Clients leave a race when its time is over; this is for those that wait for an answer.
    return { executor: 'per-vu-iterations', vus, iterations: 1, maxDuration: `${seconds + STUCK}s`, gracefulStop: '0s' };
  }
  const duration = cell.warmup_seconds + seconds;
  const patience = Math.max(1, cell.deadline_seconds - duration - TIME_TO_END);
  return { executor: 'constant-vus', vus, duration: `${duration}s`, gracefulStop: `${patience}s` };
}

export const handleSummary = (data) => summarize(cell, workload, data);

let begun = false;

// turn is one k6 iteration: a paced turn, or several of a closed loop. A client's
// first one is its whole warm-up, or all of its turns where their number is given.
export function turn() {
  if (!begun) {
    begun = true;
    if (cell.seed) randomSeed(cell.seed * 65536 + exec.vu.idInTest);
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
    if (done ? !race.turn() : !client.alive()) break;
  }
  client.close();
  race.end();
}
