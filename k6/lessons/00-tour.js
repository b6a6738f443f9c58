// The tour: what does each path to the database cost, without latency and with 10 ms?
//
//   scripts/tour                                                           every available path, one table
//   scripts/k6 run k6/lessons/00-tour.js                                   one cell of it: connect, direct
//   scripts/k6 run -e LAB_PATH=pgpool -e LAB_WORKLOAD=select k6/lessons/00-tour.js
//
// Expect: a pooler is another hop, which each statement pays for, and a cheaper place to connect to. 10 ms of latency
// outweigh both.

import { options as cellOptions } from '../lib/lab.js';
import { connect, select } from '../lib/statements.js';

export const options = cellOptions();

// An application without a pool: connect, one statement, close. And one that keeps its connection: one row by its key.
export { connect, select };

export default connect;
