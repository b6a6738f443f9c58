// Connecting: what does a new connection cost, and how much of it is authentication?
//
//   scripts/run 01-connect                                   the lesson
//   scripts/k6 run -e LAB_PATH=pgbouncer-transaction k6/lessons/01-connect.js
//
// Expect: authentication decides more than the pooler does. Without a password PgBouncer is far cheaper to connect to
// than PostgreSQL. With one that it must hash it costs as much or more.

import { account, counter, options as cellOptions, trend, workload } from '../lib/lab.js';
import { BY_KEY, connect, oneRow, selectOne } from '../lib/statements.js';

export const options = cellOptions();

// An application without a pool: connect, one statement, close.
export { connect };

// The same from many clients, at a rate that may be more than the path takes. No client warms up, so all come at once.
export const churn = workload({ keeps: false, warm: 0 }, selectOne);

// Connects once and stays, as each connection of an application's pool does.
export const stay = workload({ warm: 1 }, selectOne);

// What a connection costs once it is open: its first reads by key, in parts whose statements have names. On a path with
// a pool, params.warm has the client read as often before and connect anew: it gets a server connection that knows all
// that already.
const LAST = [10, 100, 1000, 10000];
const USED = 'SELECT lab_minor_faults() AS faults, lab_cpu_ns() AS ns';
const parts = LAST.map((last, at) => ({
  last,
  read: { name: `reads ${at > 0 ? LAST[at - 1] + 1 : 1} to ${last}`, sql: BY_KEY },
  faults: counter(`lab_faults_to_${last}`),
  cpu: trend(`lab_cpu_to_${last}`),
}));

export const age = workload((client, { params }) => {
  if (params.warm) {
    for (let n = 0; n < LAST[LAST.length - 1]; n++) oneRow(client);
    client.close();
    client.connect();
  }
  let reads = 0;
  let [before] = client.query(USED);
  for (const { last, read, faults, cpu } of parts) {
    const first = reads;
    for (; reads < last; reads++) client.exec(read, account());
    const [after] = client.query(USED);
    faults.add(after.faults - before.faults);
    cpu.add((after.ns - before.ns) / 1e6 / (last - first)); // ms a read
    before = after;
  }
});

export default connect;
