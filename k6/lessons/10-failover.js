// Failover: who notices that the primary is gone, for how long, and what is lost?
//
//   scripts/run 10-failover                                  the lesson
//   scripts/run 10-failover --experiments crash              one of its experiments
//
// Expect: through a pooler that holds transactions back, nobody notices a planned switchover. When the primary crashes,
// each path waits for the promotion, and then until it has noticed. A host that is gone answers nothing: only timeouts
// end that. Writes that the standby hasn't received yet are lost, though they were acknowledged.

import { account, clientNumber, options as cellOptions, workload } from '../lib/lab.js';

export const options = cellOptions();

// A row that is looked for at the end. The server says its own name.
const WRITE = `INSERT INTO pgbench_history (tid, bid, aid, delta, mtime, filler)
  VALUES (1, 1, $1, 0, CURRENT_TIMESTAMP, $2)
  RETURNING current_setting('cluster_name') AS server, pg_current_xact_id()::text AS transaction`;

export const write = workload((client, cell, attempt) => {
  const [row] = client.query(WRITE, account(), `${clientNumber()}.${attempt}`);
  return [row.server, row.transaction];
});

const READ = `SELECT abalance, current_setting('cluster_name') AS server FROM pgbench_accounts WHERE aid = $1`;

export const read = workload((client) => [client.query(READ, account())[0].server]);

export default write;
