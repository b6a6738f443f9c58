// Placement: should the pooler stand near the application or near the database?
//
//   scripts/run 06-placement                                 the lesson
//   scripts/k6 run -e LAB_PATH=pgbouncer-transaction-near-app k6/lessons/06-placement.js
//
// Expect: for clients that keep their connection both places cost the same. Clients that open one for each transaction
// save the login's round trips near the application.

import { options as cellOptions, workload } from '../lib/lab.js';
import { oneRow, select } from '../lib/statements.js';
import { oneByOne } from '../lib/tpcb.js';

export const options = cellOptions();

// The connection is kept.
export { select };
export const tpcb = workload(oneByOne);

// A connection for each transaction.
export const reconnectSelect = workload({ keeps: false }, oneRow);
export const reconnectTpcb = workload({ keeps: false }, oneByOne);

export default select;
