// Scenarios, thresholds and checks: five clients read as fast as they can, while twenty transactions a second write.
//
//   scripts/k6 run k6/examples/mixed.js
//   scripts/k6 run -e LAB_PATH=pgbouncer-transaction k6/examples/mixed.js

import { check } from 'k6';
import pg from 'k6/x/pg';

export const options = {
  scenarios: {
    readers: { executor: 'constant-vus', exec: 'read', vus: 5, duration: '5s' },
    writers: {
      executor: 'constant-arrival-rate', // an open loop
      exec: 'write',
      rate: 20,
      duration: '5s',
      preAllocatedVUs: 5,
    },
  },
  thresholds: {
    checks: ['rate==1'],
    pg_errors: ['count==0'],
    'pg_statement{statement:by key}': ['p(95)<500'],
    pg_transaction: ['p(95)<1000'],
  },
};

// Each VU has one connection, which it opens in its first iteration. It stays open until the test ends.
const client = pg.client({ path: __ENV.LAB_PATH });

const BY_KEY = { name: 'by key', sql: 'SELECT abalance FROM pgbench_accounts WHERE aid = $1' };
const any = (most) => 1 + Math.floor(Math.random() * most);

export function read() {
  if (!client.connected()) client.connect();
  const rows = client.query(BY_KEY, any(100000));
  check(rows, { 'one row': ({ length }) => length === 1 });
}

export function write() {
  if (!client.connected()) client.connect();
  const teller = any(10);
  client.transaction((tx) => {
    tx.exec('UPDATE pgbench_tellers SET tbalance = tbalance + 1 WHERE tid = $1', teller);
    tx.exec('INSERT INTO pgbench_history (tid, delta, mtime) VALUES ($1, 1, now())', teller); // a throw rolls back
  });
}
