// Pooling: from how many clients on does a pooler pay, and what does the size of its pool do?
//
//   scripts/run 03-pooling                                   the lesson
//   scripts/k6 run -e LAB_PATH=pgbouncer-transaction -e LAB_CLIENTS=100 k6/lessons/03-pooling.js
//
// Expect: with one client a pooler is a hop that costs. With a hundred it is the server that suffers: from processes
// that log in, hold memory and compete for the CPU. A few server connections do the same work sooner.

import { options as cellOptions } from '../lib/lab.js';
import { select } from '../lib/statements.js';

export const options = cellOptions();

// One row by its key.
export { select };

// pgbench's transaction of five statements, which writes. All clients want the rows of a few branches.
export { tpcb } from '../lib/tpcb.js';

export default select;
