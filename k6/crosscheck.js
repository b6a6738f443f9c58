// What scripts/crosscheck compares with pgbench: one cell, with pgbench's own statements.

import { account, options as cellOptions, workload } from './lib/lab.js';

export const options = cellOptions();

// pgbench --select-only
export const select = workload({ warm: 10 }, (client) => {
  client.exec('SELECT abalance FROM pgbench_accounts WHERE aid = $1', account());
});

// pgbench without options
export { tpcb } from './lib/tpcb.js';

// pgbench --connect
export const connect = workload({ keeps: false }, (client) => {
  client.exec('SELECT 1');
});

export default select;
