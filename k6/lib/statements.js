// What clients of several lessons do over and over: one statement, by a client or within its transaction.

import { account, firstOf, workload } from './lab.js';

// A row of no table.
export const selectOne = (client) => client.exec('SELECT 1');

// One row by its key, as pgbench --select-only reads it.
export const BY_KEY = 'SELECT abalance FROM pgbench_accounts WHERE aid = $1';
export const oneRow = (client) => client.exec(BY_KEY, account());

// The sum of rows: the server reads them, and sends one.
export function sumOf(client, rows) {
  const first = firstOf(rows);
  client.exec('SELECT sum(abalance) FROM pgbench_accounts WHERE aid BETWEEN $1 AND $2', first, first + rows - 1);
}
export const heavy = (client) => sumOf(client, 2000);

// An application without a pool: connect, one statement, close.
export const connect = workload({ keeps: false }, selectOne);

// An application that keeps its connection. Light: one row. Heavy: the sum of 2000.
export const select = workload({ warm: 10 }, oneRow);
export const selectHeavy = workload(heavy);
