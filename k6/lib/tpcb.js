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

// One after the other. Seven round trips, with BEGIN and COMMIT.
export function oneByOne(client) {
  client.transaction((tx) => tpcbStatements(tx));
}

// In one call. One round trip.
export function inAFunction(client) {
  client.exec('SELECT lab_tpcb($1, $2, $3, $4)', account(), branch(), teller(), delta());
}

// All sent at once, BEGIN and COMMIT included. One round trip.
export function inAPipeline(client) {
  client.pipeline((p) => {
    p.exec('BEGIN');
    tpcbStatements(p);
    p.exec('COMMIT');
  });
}

export const tpcb = workload(oneByOne);
export const tpcbFunction = workload(inAFunction);
export const tpcbPipeline = workload(inAPipeline);
