// Connecting: what does a new connection cost, and how much of it is authentication?
//
//   scripts/run 01-connect                                   the lesson
//   scripts/k6 run -e LAB_PATH=pgbouncer-transaction k6/lessons/01-connect.js
//
// Expect: authentication decides more than the pooler does. Without a password PgBouncer is far cheaper to connect to
// than PostgreSQL. With one that it must hash it costs as much or more.

import { options as cellOptions, workload } from '../lib/lab.js';

export const options = cellOptions();

const oneStatement = (client) => client.exec('SELECT 1');

// An application without a pool: connect, one statement, close.
export const connect = workload({ keeps: false }, oneStatement);

// The same from many clients, at a rate that may be more than the path takes. No client warms up, so all come at once.
export const churn = workload({ keeps: false, warm: 0 }, oneStatement);

// Connects once and stays, as each connection of an application's pool does.
export const stay = workload({ warm: 1 }, oneStatement);

export default connect;
