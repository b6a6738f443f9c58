// The live load: clients on several paths at once, always over the links, until k6 is ended. The console runs it with
// k6's output live, which prints what each path's clients see each second:
//
//   k6 run --quiet --out live=pg_statement k6/live.js
//
// LAB_LIVE says what, as JSON: {"workload": "select", "clients": 10, "rate": 50, "keep": true, "scale": 10,
// "paths": [{"name": "direct", "dsn": "host=toxiproxy port=15001 ...", "pool": 0}]}. Clients and rate are each path's;
// without a rate the clients do as much as they can.

import { cheaply, workload } from './lib/lab.js';
import { heavy, oneRow } from './lib/statements.js';
import { inAFunction, inAPipeline, oneByOne } from './lib/tpcb.js';

const live = JSON.parse(__ENV.LAB_LIVE);

// An open loop is k6's own, which drops what no client is free for: when a link is slow for minutes nothing piles up.
const duration = { duration: '240h', gracefulStop: '0s' };
const openLoop = {
  executor: 'constant-arrival-rate',
  rate: live.rate,
  timeUnit: '1s',
  preAllocatedVUs: live.clients,
  maxVUs: live.clients,
};
const closedLoop = { executor: 'constant-vus', vus: live.clients };

// Each path has a scenario, which tells its VUs their cell.
function scenario({ name: path, dsn, pool }) {
  const cell = {
    path,
    dsn,
    clients: live.clients,
    batch: live.rate > 0 ? 1 : 0, // an iteration of the open loop is one of k6's
    scale: live.scale,
    protocol: 'prepared',
    params: {},
    instances: pool > 0 ? 1 : 0,
    instance_pool: pool,
  };
  const loop = live.rate > 0 ? openLoop : closedLoop;
  return { ...loop, ...duration, exec: live.workload, env: { LAB_CELL: JSON.stringify(cell) } };
}

export const options = {
  scenarios: Object.fromEntries(live.paths.map((path) => [path.name, scenario(path)])),
  ...cheaply,
};

const settings = { keeps: live.keep };

// One row by its key: one round trip.
export const select = workload(settings, oneRow);

// The sum of 2000 rows: one round trip, and work for the server.
export const selectHeavy = workload(settings, heavy);

// pgbench's transaction of five statements, which writes: seven round trips, or one.
export const tpcb = workload(settings, oneByOne);
export const tpcbFunction = workload(settings, inAFunction);
export const tpcbPipeline = workload(settings, inAPipeline);
