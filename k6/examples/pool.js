// An application's own pool: twenty VUs share four connections, and what they wait for one is pg_pool_wait.
//
//   scripts/k6 run k6/examples/pool.js
//   scripts/k6 run -e LAB_LINK=none k6/examples/pool.js

import pg from 'k6/x/pg';

export const options = {
  vus: 20,
  duration: '5s',
  thresholds: { pg_errors: ['count==0'], pg_connections: ['count<=4'] },
};

// VUs that give the same options share one pool.
const pool = pg.pool({ size: 4, path: __ENV.LAB_PATH });

export default function () {
  // One call borrows one connection; a transaction keeps it to its end.
  pool.exec('SELECT abalance FROM pgbench_accounts WHERE aid = $1', 42);
  pool.transaction((tx) => {
    tx.exec('SELECT pg_sleep(0.01)');
    tx.exec('SELECT 1');
  });
}
