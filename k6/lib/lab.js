// What the lab's scripts share: one repeat of one cell, or of a pair of cells whose clients alternate. A
// script names its workloads, and exports each of them:
//
//   import { account, counter, options as cellOptions, workload } from '../lib/lab.js';
//
//   export const options = cellOptions();          // a scenario for each cell that runs
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
//   warm    iterations of each client, at least, before the measured window opens (2)
//   setup   (client, cell) => {}: called after each connect; where instances have pools, once a client
//
// The function gets the number of the client's attempt, from 1, too. Where cells run at once, the ledger keeps what it
// returns: [server that answered, transaction in which it wrote].
//
// The client has exec, query, transaction, pipeline, copyIn and copyOut, as k6/pg/index.d.ts has them: over a
// connection of its own or, in a cell with application instances, over those of its instance's pool. What PostgreSQL or
// the network refuse is counted by SQLSTATE, and the client goes on: an iteration needn't catch it.
//
// Which cell it is stands in the environment, in LAB_CELL: `scripts/run` and `scripts/k6` put it there, and a scenario
// may have an env of its own. It has the plan's keys, such as path, link, workload, params, protocol, clients, rate and
// seconds (those that are lists in a plan are one value here), where
//
//   hot_rows (of pgbench's accounts, that the functions below draw from; missing: all),
//   transactions (of each client; missing: as many as the window has room for),
//   rate (iterations per second over all clients; 0: closed loop),
//   seconds (of the measured window, or the most that transactions may take; 0: no window, until k6 is ended),
//   warmup_seconds (least time that the clients of a closed loop iterate before the window opens)
//
// and what no plan has: settle_seconds (most that they do so until their rate is steady; missing: 0), dsn,
// deadline_seconds (of the whole script), scale (pgbench's, of the data), seed (of random numbers; 0: others in each
// run), batch (iterations in one of k6's where there is no window; 0: 16), tcp_handshake_ms (that a link takes for it,
// see tcpHandshake in k6/pg/index.d.ts; missing: 0).
//
// A pair of cells stands in LAB_TRIAL instead: both cells' clients connect and warm up, and then they alternate in
// slots of a few hundred milliseconds. Both are closed loops (scripts/run has no other pairs). These are its keys:
//
//   cells (two of the above: of, to; their seconds and deadline_seconds don't count),
//   slot_ms (counted part of each slot; 0: as long as 20 iterations of the slower cell take, 300 to 900),
//   at_most_seconds (from the first group of four slots to the last),
//   settle_seconds (more of them, until both cells are steady),
//   fewest_groups (that have to fit into it: otherwise the pair is too slow, and ends; 0: any number),
//   deadline_seconds (of the whole script),
//   seed (of the order of the slots; 0: another in each run),
//   groups_file (to which k6's output lab adds a line of JSON for each group),
//   stop_file (once it exists the pair ends after the group under way)
//
// Cells that run at once stand in LAB_TRIAL, too. All their clients have one window, which opens when all are ready,
// and each attempt of each client becomes a row of the ledger (k6/pg/index.d.ts). These are its keys:
//
//   cells (any number), together (true), deadline_seconds (of the whole script),
//   at_most_seconds (of the window),
//   opened_file (to which the moment goes at which the window opens),
//   stop_file (once it exists the window closes)
//
// LAB_TRIAL_PASSWORDS is a list of the roles' passwords, one of each cell. Each cell's VUs have their own LAB_CELL and
// LAB_SIDE (of or to; of cells that run at once their number, from 0), and their samples the tag side.
//
// A VU reads it in its first iteration, not when k6 evaluates this file. k6 does that for each of thousands of VUs, and
// a module takes 6 KB of each. So this is one file, and what lessons share stands in two: statements.js and tpcb.js.

import { sleep } from 'k6';
import { Counter, Trend } from 'k6/metrics';
import pg from 'k6/x/pg';

const RECONNECT_PAUSE = 0.1; // seconds
const TIME_TO_END = 5; // seconds to cancel, close and write the summary, at least
const STUCK = 0.5; // seconds after which a statement that outlasts its time is cancelled
const SIDES = ['of', 'to']; // of a pair
const BATCH = 16; // iterations of a closed loop in one of k6's, around which k6 does as much work as one takes

let scale = 1; // of the data; read with the cell
let accounts = 100000; // that are drawn from; read with the cell
let number = __VU; // of the client among those of its cell

// What pgbench draws for its transactions.
const upTo = (most) => 1 + Math.floor(Math.random() * most);
export const account = () => upTo(accounts);
export const branch = () => upTo(scale);
export const teller = () => upTo(10 * scale);
export const delta = () => upTo(10001) - 5001;

// firstOf draws the first of so many accounts in a row.
export const firstOf = (rows) => upTo(Math.max(1, accounts - rows + 1));

// clientNumber is the number of this VU's client among those of its cell, from 1; of cells that run at once among those
// of all.
export const clientNumber = () => number;

// options returns k6's options: for a cell one scenario, which ends with the measured window, for a pair two. k6 wants
// them before it makes the VUs, and uses those of its first evaluation alone.
export function options() {
  if (__VU > 0) return {};
  if (__ENV.LAB_TRIAL) return { scenarios: scenarios(JSON.parse(__ENV.LAB_TRIAL)), ...cheaply };
  if (!__ENV.LAB_CELL) return {};
  return { scenarios: { cell: scenario(JSON.parse(__ENV.LAB_CELL)) }, ...cheaply };
}

// scenarios are those of the cells of a pair, or of cells that run at once.
function scenarios({ cells, together, deadline_seconds: deadline }) {
  const ofCell = (cell, side) => ({
    ...once(cell, deadline - TIME_TO_END),
    env: { LAB_CELL: JSON.stringify(cell), LAB_SIDE: side },
    tags: { side },
  });
  return Object.fromEntries(cells.map((cell, at) => {
    const side = together ? `${at}` : SIDES[at];
    return [side, ofCell(cell, side)];
  }));
}

// cheaply is what spares k6 work: nobody has cookies here, and each tag is one tag set more to make.
export const cheaply = { noCookiesReset: true, systemTags: [] };

function scenario(cell) {
  const { transactions, seconds, deadline_seconds: deadline } = cell;
  // Of fixed work: for clients that wait for an answer. The others leave when time is over.
  return once(cell, transactions > 0 ? seconds + STUCK : deadline - TIME_TO_END);
}

// once has each VU do all of its work in one of k6's iterations, so that k6 ends when the last one has ended.
function once({ workload: exec, clients: vus }, most) {
  return {
    executor: 'per-vu-iterations',
    exec: exec || 'default',
    vus,
    iterations: 1,
    maxDuration: `${Math.max(1, most)}s`,
    gracefulStop: '0s',
  };
}

// workload returns the function that k6 is to call: once where there is a window, a pair or fixed work. Where there is
// none it does several of the client's iterations each time. The settings may be left out, or come last.
export function workload(settings, iteration = {}) {
  if (typeof settings === 'function') return workload(iteration, settings);
  if (typeof iteration !== 'function') throw new Error('workload() takes the function that is an iteration');
  let work;
  return () => {
    if (!work) work = begin(settings, iteration);
    return work();
  };
}

// begin makes a VU's client, and returns what that does.
function begin(settings, iteration) {
  if (!__ENV.LAB_CELL) throw new Error('start this script with scripts/k6, which says where to connect');
  const cell = JSON.parse(__ENV.LAB_CELL);
  scale = cell.scale;
  accounts = cell.hot_rows || 100000 * scale;
  const side = __ENV.LAB_SIDE;
  const trial = side && JSON.parse(__ENV.LAB_TRIAL);
  const slots = trial && !trial.together && pg.slots(slotOptions(side, trial));
  if (slots) number = slots.place() + 1;
  pg.seed(cell.seed && cell.seed * 65536 + number); // k6 has its own seed until here
  const { clients, transactions, rate, seconds } = cell;
  if (!slots && transactions > 0) {
    const fixed = pg.fixedIterations({ clients, iterations: transactions, seconds });
    return () => fixedWork(fixed, makeClient(cell, settings, iteration, fixed.connected), transactions);
  }
  const client = makeClient(cell, settings, iteration, () => {});
  const iterations = settings.warm === undefined ? 2 : settings.warm;
  // While the clients of all cells connect at once, some attempts may pass their timeouts.
  const tries = trial && trial.together ? 4 : 1;
  const warm = () => Array(tries).fill(iterations).some((least) => warmUp(client, least));
  if (slots) return () => workInSlots(slots, client, warm);
  const pace = rate > 0 && pg.pace({ rate, clients });
  const next = pace ? () => pace.wait() && client.attempt() && pace.done() : client.attempt;
  if (seconds > 0) {
    const window = pg.window(trial ? sharedWindow(Number(side), trial) : ownWindow(cell));
    return () => workInWindow(window, warm, next);
  }
  const batch = cell.batch || BATCH;
  return () => {
    for (let i = 0; i < batch; i++) next();
  };
}

// warmUp does a client's first iterations, and returns whether they went well.
function warmUp(client, iterations) {
  for (let i = 0; i < iterations; i++) {
    if (!client.attempt()) return false;
  }
  return true;
}

// ownWindow are the module's options for a cell that runs alone. The window of a closed loop opens at a steady rate.
// That of an open loop opens as soon as all clients are ready: its rate is given, and iterations without pauses would
// use up the CPU limit with which the window begins.
function ownWindow({ clients, seconds, rate, warmup_seconds: least, settle_seconds: most = 0 }) {
  return rate > 0 || !most ? { clients, seconds } : { clients, seconds, least, most: Math.max(least, most) };
}

// workInWindow has a client warm up, and iterate while the window is open. A client that ends by a mistake in the
// script counts as failed, so the window doesn't wait for it.
function workInWindow(window, warm, next) {
  let ready = false;
  try {
    ready = warm();
  } finally {
    if (ready) window.ready();
    else window.fail();
  }
  do next(); while (!window.over()); // an open loop takes its place in the schedule, however late it gets here
}

// sharedWindow are the module's options for a client of a cell that runs at once with others.
function sharedWindow(cell, { cells, at_most_seconds: seconds, opened_file: opened, stop_file: stop }) {
  const clients = cells.reduce((sum, other) => sum + other.clients, 0);
  return { clients, seconds, cells: cells.length, cell, opened, stop };
}

// slotOptions are the module's options for a side of the pair.
function slotOptions(side, pair) {
  return {
    side,
    clients: pair.cells.map(({ clients }) => clients),
    slot: pair.slot_ms,
    at_most: pair.at_most_seconds,
    settle: pair.settle_seconds || 0,
    fewest: pair.fewest_groups,
    seed: pair.seed,
    groups: pair.groups_file,
    stop: pair.stop_file,
  };
}

// workInSlots has a client warm up, and iterate in the slots of its side until the pair is over.
function workInSlots(slots, client, warm) {
  try {
    if (warm()) slots.ready();
    else slots.fail();
    while (slots.wait()) {
      while (!slots.over()) client.attempt();
    }
  } finally {
    slots.leave(); // a mistake in the script ends its client: the others go on without it
  }
}

// fixedWork does a number of iterations. A client that can't connect, or loses its connection, has failed for good.
function fixedWork(fixed, client, iterations) {
  fixed.start();
  for (let i = 0; i < iterations; i++) {
    const done = client.attempt();
    if (done ? !fixed.iteration() : !client.alive()) break;
  }
  client.close();
  fixed.end();
}

// makeClient returns a client of this VU that does a cell's workload. It calls connected() after each connect.
function makeClient(cell, { keeps = true, setup }, iteration, connected) {
  const { path, protocol, instances, instance_pool: size, params, rate, workload: name, events = [] } = cell;
  const { tcp_handshake_ms: tcpHandshake } = cell;
  // A plan that wants TLS, or a timeout, says so: of two settings in a dsn the later one counts.
  const { timeout, query_timeout: queryTimeout } = params;
  const dsn = params.dsn ? `${cell.dsn} ${params.dsn}` : cell.dsn;
  const pooled = instances > 0;
  const side = __ENV.LAB_SIDE || '';
  const ledger = events.length > 0 && side !== '';
  const at = ledger ? Number(side) : SIDES.indexOf(side);
  const password = side ? JSON.parse(__ENV.LAB_TRIAL_PASSWORDS || '[]')[at] : undefined;
  const options = { dsn, password, path, protocol, timeout, queryTimeout, tcpHandshake };
  const client = pooled
    ? pg.pool({ ...options, size, name: `instance ${side}${(number - 1) % instances}` })
    : pg.client(options);
  const connects = !keeps && !pooled;
  const timed = !keeps && !(rate > 0); // a pace has its own response times
  const iterations = pg.iterations({ path, connects, timed, ledger, client: number, workload: name });
  let open = false;
  let alive = true;
  let attempts = 0;

  function connect() {
    if (!pooled) client.connect();
    if (!pooled || client.fill() === size) connected();
    if (setup) setup(client, cell);
    open = true;
  }

  // attempt does one iteration and returns whether it went well. The module has counted what went wrong. Where each
  // iteration connects, its response time includes that, and ends with its last statement.
  function attempt() {
    try {
      attempts += 1;
      if (timed || ledger) iterations.begin();
      if (!open) connect();
      const answered = iteration(client, cell, attempts);
      if (ledger) iterations.done(...answered);
      else iterations.done();
      return true;
    } catch (error) {
      if (error.name !== 'PgError') throw error;
      iterations.failed(error.code);
      alive = client.connected();
      open = open && (pooled || alive);
      // An open loop says when the next iteration is due, after a failure too.
      const closedLoop = !rate && !cell.transactions;
      if (closedLoop && (!alive || !(side || cell.seconds))) sleep(RECONNECT_PAUSE);
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
