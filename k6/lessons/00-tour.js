// The tour: what does each path to the database cost, without latency and with 10 ms?
//
//   scripts/tour                                                           every available path, one table
//   scripts/k6 run k6/lessons/00-tour.js                                   one cell of it: connect, direct
//   scripts/k6 run -e LAB_PATH=pgpool -e LAB_WORKLOAD=select k6/lessons/00-tour.js
//
// Expect: a pooler is another hop, which each statement pays for, and a cheaper place to connect to. 10 ms of latency
// outweigh both.

import { account, options as cellOptions, workload } from '../lib/lab.js';

export const options = cellOptions();

// An application without a pool: connect, one statement, close.
export const connect = workload({ keeps: false }, (client) => {
  client.exec('SELECT 1');
});

// One row by its key, as pgbench --select-only reads it.
export const select = workload({ warm: 10 }, (client) => {
  client.exec('SELECT abalance FROM pgbench_accounts WHERE aid = $1', account());
});

export default connect;
