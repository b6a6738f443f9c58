// pgbench's own workload: a transaction of five statements that writes.

import { account, branch, delta, teller, workload } from './lab.js';

// tpcbStatements has tx run the five statements in their order. The branch's row is locked from the fourth of them to
// COMMIT.
export function tpcbStatements(tx, bid = branch()) {
  const aid = account();
  const tid = teller();
  const amount = delta();
  tx.exec('UPDATE pgbench_accounts SET abalance = abalance + $1 WHERE aid = $2', amount, aid);
  tx.exec('SELECT abalance FROM pgbench_accounts WHERE aid = $1', aid);
  tx.exec('UPDATE pgbench_tellers SET tbalance = tbalance + $1 WHERE tid = $2', amount, tid);
  tx.exec('UPDATE pgbench_branches SET bbalance = bbalance + $1 WHERE bid = $2', amount, bid);
  tx.exec(
    'INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) VALUES ($1, $2, $3, $4, CURRENT_TIMESTAMP)',
    tid, bid, aid, amount,
  );
}

// Seven round trips, with BEGIN and COMMIT.
export const tpcb = workload((client) => {
  client.transaction((tx) => tpcbStatements(tx));
});
