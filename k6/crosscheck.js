// What scripts/crosscheck compares with pgbench: pgbench's own transactions.
//
//   scripts/crosscheck                                       its plan is crosscheck.yaml
//   scripts/k6 run -e LAB_WORKLOAD=tpcb k6/crosscheck.js

import { account, options as cellOptions, workload } from './lib/lab.js';

export const options = cellOptions();

// pgbench --select-only
export const select = workload({ warm: 10 }, (client) => {
  client.exec('SELECT abalance FROM pgbench_accounts WHERE aid = $1', account());
});

// pgbench without options
export { tpcb } from './lib/tpcb.js';

export default select;
