// The live load: clients on several paths at once, always over the links, until k6 is ended. The console runs it with
// k6's output live, which prints what each path's clients see each second:
//
//   k6 run --quiet --out live=pg_statement k6/live.js
//
// LAB_LIVE says what, as JSON: {"workload": "select", "clients": 10, "keep": true, "scale": 10,
// "paths": [{"name": "direct", "dsn": "host=toxiproxy port=15001 ...", "pool": 0}]}

import { sleep } from 'k6';
import exec from 'k6/execution';
import { makeClient } from './lib/cell.js';
import { shared } from './lib/workloads.js';

const TURNS = 16; // in one iteration: what k6 does around an iteration costs it as much as a turn
const PAUSE = 0.1; // seconds after a failure, so that a server that refuses isn't asked thousands of times

const { workload: name, clients, keep, scale, paths } = JSON.parse(__ENV.LAB_LIVE);
const workload = { ...shared(name), keeps: keep };

const scenario = {
  executor: 'constant-vus', vus: clients, duration: '240h', gracefulStop: '0s',
};

export const options = {
  scenarios: Object.fromEntries(paths.map((path) => [path.name, scenario])),
  noCookiesReset: true, // nobody has cookies here
  systemTags: [], // one tag set fewer to make per sample
};

let cell;
let client;

export default function turns() {
  if (!client) {
    const { name: path, dsn, pool } = paths.find((p) => p.name === exec.scenario.name);
    cell = { path, dsn, protocol: 'prepared', params: {}, scale, rate: 0, transactions: 0, pods: pool > 0 ? 1 : 0, pod_pool: pool, dsns: {} };
    client = makeClient(cell, workload, () => {});
  }
  for (let i = 0; i < TURNS; i++) {
    if (!client.attempt() && client.alive()) sleep(PAUSE); // one that isn't has slept
  }
}

// Nobody reads a summary: the figures have been told as they came.
export const handleSummary = () => ({});
