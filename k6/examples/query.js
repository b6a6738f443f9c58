// The smallest script: connect, and ask.
//
//   scripts/k6 run k6/examples/query.js
//   scripts/k6 run -e LAB_PATH=pgpool k6/examples/query.js

import pg from 'k6/x/pg';

// Where to connect: without a dsn, PGHOST, PGPORT, PGDATABASE, PGUSER and PGPASSWORD say.
const client = pg.client({ path: __ENV.LAB_PATH });

export default function () {
  client.connect();
  const [row] = client.query('SELECT abalance FROM pgbench_accounts WHERE aid = $1', 42);
  console.log(`account 42 has ${row.abalance}`);
  client.close();
}
