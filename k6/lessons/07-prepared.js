// Prepared statements: which work behind which pooler?
//
//   scripts/run 07-prepared                                  the lesson
//   scripts/k6 run -e LAB_PATH=pgbouncer-transaction -e LAB_PROTOCOL=prepared k6/lessons/07-prepared.js
//
// Expect: where PgBouncer keeps them, prepared statements work and pay off. Where it doesn't, one client alone gets
// no error and ten do.

import { options as cellOptions, workload } from '../lib/lab.js';
import { oneRow, select } from '../lib/statements.js';

export const options = cellOptions();

// One row by its key. How the statement is sent is the cell's protocol: simple, extended or prepared.
export { select };

// A connection for each statement: preparing never pays there.
export const reconnectSelect = workload({ keeps: false }, oneRow);

export default select;
