// What scripts/crosscheck compares with pgbench: pgbench's own transactions.
//
//   scripts/crosscheck                                       its plan is crosscheck.yaml
//   scripts/k6 run -e LAB_WORKLOAD=tpcb k6/crosscheck.js

import { options as cellOptions } from './lib/lab.js';
import { select } from './lib/statements.js';

export const options = cellOptions();

// pgbench --select-only
export { select };

// pgbench without options
export { tpcb } from './lib/tpcb.js';

export default select;
