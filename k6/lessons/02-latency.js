// Latency and throughput: what does network latency do to throughput, and what wins it back?
//
//   scripts/run 02-latency                                   the lesson
//   scripts/latency 20ms client-primary && scripts/k6 run -e LAB_CLIENTS=100 k6/lessons/02-latency.js
//
// Expect: ten clients that wait for each answer get 10 / round trip, whatever the server could do. More clients win it
// back, or fewer round trips, unless all of them want the same row.

import { options as cellOptions, workload } from '../lib/lab.js';
import { oneRow, sumOf } from '../lib/statements.js';
import { tpcbStatements } from '../lib/tpcb.js';

export const options = cellOptions();

// One row by its key: one round trip.
export const select = workload(oneRow);

// pgbench's transaction of five statements: seven round trips, in one call of a function, and sent all at once.
export { tpcb, tpcbFunction, tpcbPipeline } from '../lib/tpcb.js';

// The same in one branch: each transaction holds the lock on its row for two round trips, and all others wait.
export const tpcbOneRow = workload({ warm: 1 }, (client) => {
  client.transaction((tx) => tpcbStatements(tx, 1));
});

// A query that takes the server a while, and sends one row. Parallel workers would be transactions of their own to the
// server, and its counts no longer k6's.
const oneProcess = (client) => client.exec('SET max_parallel_workers_per_gather = 0');

export const longQuery = workload({ setup: oneProcess }, (client, { params: { rows = 300000 } }) => {
  sumOf(client, rows);
});

export default select;
