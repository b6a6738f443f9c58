// Distance: what do 0.5, 1, 10 and 80 ms do to a connect, a query and a transaction?
//
//   scripts/run 09-distance                                  the lesson
//   scripts/latency 80ms client-primary && scripts/k6 run -e LAB_PATH=direct k6/lessons/09-distance.js
//
// Expect: each takes its round trips times the distance longer. With PgBouncer near the application only the query of
// a new connection crosses the distance: five round trips become one. A transaction keeps its seven.

import { options as cellOptions, workload } from '../lib/lab.js';
import { oneRow } from '../lib/statements.js';

export const options = cellOptions();

// A connection for each query. Five round trips: TCP's handshake, three of the login with SCRAM, the query.
export const connect = workload({ keeps: false }, oneRow);

// The connection is kept. One round trip.
export const query = workload(oneRow);

// Five queries in a transaction. Seven round trips, with BEGIN and COMMIT.
export const transaction = workload((client) => {
  client.transaction((tx) => {
    for (let i = 0; i < 5; i++) {
      oneRow(tx);
    }
  });
});

export default connect;
