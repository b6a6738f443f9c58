// Sizing: how large should each app instance's own pool be?
//
//   scripts/run 08-sizing                                    the lesson
//   scripts/k6 run -e LAB_INSTANCES=4 -e LAB_INSTANCE_POOL=5 -e LAB_CLIENTS=40 k6/lessons/08-sizing.js
//
// Expect: next to the server a few connections do all it can, and each one more makes the others slower. Far from it
// connections spend their time waiting for messages, and more of them are needed. Pools add up: twice the instances is
// twice the connections, until the server takes no more.

import { options as cellOptions, workload } from '../lib/lab.js';
import { oneByOne } from '../lib/tpcb.js';

export const options = cellOptions();

// Each of the application's threads does one transaction after the other, over a connection that its instance's pool
// lends it. Hundreds of threads share few connections: two transactions of each take longer than the cell, so one warms
// up.
export const tpcb = workload({ warm: 1 }, oneByOne);

export default tpcb;
