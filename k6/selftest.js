// What scripts/selftest runs: equal work under two names, and work that is more by a known share.
//
//   scripts/selftest                                         its plan is selftest.yaml
//   scripts/k6 run -e LAB_WORKLOAD=reads k6/selftest.js

import { firstOf, options as cellOptions, workload } from './lib/lab.js';
import { connect } from './lib/statements.js';

export const options = cellOptions();

// How many accounts a statement reads. They take the server 2 to 4 ms of CPU time, by the machine. Its message,
// parameters and answer take it 0.1 ms, and that is all that isn't slowed down by more reads. At half a CPU two clients
// have an iteration of 8 to 17 ms then, of which twenty fit into a slot, on a machine twice as slow, too.
const READS = 2000;

// A subquery for each account has only one plan: a search of the primary key's index for each.
const SUM = `SELECT sum((SELECT abalance FROM pgbench_accounts WHERE aid = $1 + i))
  FROM generate_series(0, $2 - 1) AS i`;

// reads is one statement. params.more is how many more accounts it reads, in percent.
export const reads = workload((client, cell) => {
  const n = Math.round(READS * (1 + (cell.params.more || 0) / 100));
  client.exec(SUM, firstOf(n), n);
});

// An application without a pool: connect, one statement, close.
export { connect };

export default reads;
