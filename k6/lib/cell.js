// One repeat of one cell: the path, the workload, the clients and the window.
// The lab gives them as JSON in LAB_CELL. A script that runs alone takes the
// settings below, and each of them can be given: k6 run -e LAB_CLIENTS=20 ...

import { randomSeed, sleep } from 'k6';
import exec from 'k6/execution';
import pg from 'k6/x/pg';
import { summarize, thresholds, trendStats } from './summary.js';
import { workloads } from './workloads.js';

const alone = {
  path: 'direct',
  dsn: 'host=primary port=5432 dbname=lab user=app sslmode=disable',
  workload: 'select',
  protocol: 'prepared', // simple, extended or prepared
  clients: 10,
  rate: 0, // turns per second over all clients; 0: a turn begins when the one before it has ended
  seconds: 5, // least length of the measured window
  warmup_seconds: 1, // longest wait for the clients to be ready; what is left of it is measured too
  deadline_seconds: 30, // of the whole script: statements that hang are cancelled before it
  scale: 10, // pgbench's, of the data
  seed: 0, // of the random numbers; 0: others in each run
  summary: '', // file for the figures; empty: print them
};

const RECONNECT_PAUSE = 0.1; // seconds
const TIME_TO_END = 5; // seconds to cancel, close and write the summary

export const cell = settings();
const workload = workloads[cell.workload];
if (!workload) throw new Error(`no workload ${cell.workload}; there are ${Object.keys(workloads)}`);

const { clients, rate } = cell;
const client = pg.client({ dsn: cell.dsn, password: __ENV.APP_PASSWORD || '', path: cell.path, protocol: cell.protocol });
const window = pg.window({ clients, warmup: cell.warmup_seconds, seconds: cell.seconds });
const pace = rate > 0 ? pg.pace({ rate, clients }) : null;

function settings() {
  if (__ENV.LAB_CELL) return { ...alone, ...JSON.parse(__ENV.LAB_CELL) };
  const given = Object.entries(alone).map(([name, value]) => {
    const text = __ENV[`LAB_${name.toUpperCase()}`];
    if (text === undefined) return [name, value];
    return [name, typeof value === 'number' ? Number(text) : text];
  });
  return Object.fromEntries(given);
}

// options returns k6's options: one scenario that ends with the window, and
// what the lab reads of the lesson. k6 reads them before it makes the VUs, and
// thousands of VUs have no room for a copy each.
export function options(lab) {
  if (__VU > 0) return {};
  const duration = cell.warmup_seconds + cell.seconds;
  const patience = Math.max(1, cell.deadline_seconds - duration - TIME_TO_END);
  return {
    scenarios: {
      cell: { executor: 'constant-vus', vus: clients, duration: `${duration}s`, gracefulStop: `${patience}s` },
    },
    summaryTrendStats: trendStats,
    thresholds: thresholds(),
    noCookiesReset: true, // nobody has cookies here
    systemTags: [], // one tag set fewer to make per sample
    ext: { lab },
  };
}

export const handleSummary = (data) => summarize(cell, data);

let begun = false;

// turn is one k6 iteration. A client's first one is its whole warm-up.
export function turn() {
  if (!begun) {
    begun = true;
    warmUp();
    return;
  }
  if (pace && !pace.wait()) return;
  if (attempt() && pace) pace.done();
}

function warmUp() {
  if (cell.seed) randomSeed(cell.seed * 65536 + exec.vu.idInTest);
  for (let i = 0; i < workload.warm; i++) {
    if (!attempt()) {
      window.fail();
      return;
    }
  }
  window.ready();
}

let connected = false; // of a client that keeps its connection

// attempt takes one turn and returns whether it went well. The module has
// counted what went wrong; the cell goes on.
function attempt() {
  try {
    if (workload.keeps && !connected) {
      client.connect();
      connected = true;
    }
    workload.turn(client, cell);
    return true;
  } catch (error) {
    if (error.name !== 'PgError') throw error;
    connected = client.connected();
    if (!connected) sleep(RECONNECT_PAUSE);
    return false;
  }
}
