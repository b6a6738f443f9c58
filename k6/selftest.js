// What scripts/selftest runs: the direct path under two names, and the same slowed down by a known 10 %. An iteration
// is a transaction of reads that all cost the same, so many that the rest of it hardly counts. Slowed down it has a
// tenth more.
//
//   scripts/selftest                                         its plan is selftest.yaml
//   scripts/k6 run -e LAB_WORKLOAD=reads44 k6/selftest.js

import { account, options as cellOptions, workload } from './lib/lab.js';

export const options = cellOptions();

// reads is a transaction of so many round trips, BEGIN and COMMIT included.
function reads(roundTrips) {
  return workload((client) => {
    client.transaction((tx) => {
      for (let i = 2; i < roundTrips; i++) {
        tx.exec('SELECT abalance FROM pgbench_accounts WHERE aid = $1', account());
      }
    });
  });
}

export const reads10 = reads(10);
export const reads11 = reads(11);
export const reads40 = reads(40);
export const reads44 = reads(44);
export const reads100 = reads(100);
export const reads110 = reads(110);

export default reads10;
