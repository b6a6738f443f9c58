// The live load: clients on several paths at once, always over the links, until k6 is ended. The console runs it with
// k6's output live, which prints what each path's clients see each second:
//
//   k6 run --quiet --out live=pg_statement k6/live.js
//
// LAB_LIVE says what, as JSON: {"workload": "select", "clients": 10, "rate": 300, "keep": true, "scale": 10,
// "paths": [{"name": "direct", "dsn": "host=toxiproxy port=15001 ...", "pool": 0}]}. rate is iterations a second on
// each path, an open loop; 0 is a closed loop.

import { sleep } from 'k6';
import exec from 'k6/execution';
import { makeClient } from './lib/cell.js';
import { shared } from './lib/workloads.js';

const BATCH = 16; // of a closed loop in one of k6's iterations, which cost it as much as one of these
const PAUSE = 0.1; // seconds after a failure, so that a server that refuses isn't asked thousands of times

const { workload: name, clients, rate, keep, scale, paths } = JSON.parse(__ENV.LAB_LIVE);
const workload = { ...shared(name), keeps: keep };

const duration = { duration: '240h', gracefulStop: '0s' };
const closedLoop = { executor: 'constant-vus', vus: clients, ...duration };
const openLoop = {
  executor: 'constant-arrival-rate', rate, timeUnit: '1s', preAllocatedVUs: clients, maxVUs: clients, ...duration,
};
const scenario = rate > 0 ? openLoop : closedLoop;

export const options = {
  scenarios: Object.fromEntries(paths.map((path) => [path.name, scenario])),
  noCookiesReset: true, // nobody has cookies here
  systemTags: [], // one tag set fewer to make per sample
};

let cell;
let client;

export default function iterate() {
  if (!client) {
    const { name: path, dsn, pool } = paths.find((p) => p.name === exec.scenario.name);
    cell = { path, dsn, protocol: 'prepared', params: {}, scale, rate: 0, transactions: 0, pods: pool > 0 ? 1 : 0, pod_pool: pool, dsns: {} };
    client = makeClient(cell, workload, () => {});
  }
  for (let i = 0; i < (rate > 0 ? 1 : BATCH); i++) {
    if (!client.attempt() && client.alive()) sleep(PAUSE); // one that isn't has slept
  }
}

// Nobody reads a summary: the figures have been told as they came.
export const handleSummary = () => ({});
