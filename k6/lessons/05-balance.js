// Balancing: when is a second server for reads worth its load balancer, and what does it break?
//
//   scripts/run 05-balance                                   the lesson
//   scripts/k6 run -e LAB_PATH=pgpool -e LAB_CLIENTS=20 k6/lessons/05-balance.js
//
// Expect: Pgpool-II parses each statement and is a hop more, so one client is slower through it. Where statements are
// heavy or clients many, the second server outweighs that. A read may miss what its own client has just written.

import { account, clientNumber, counter, options as cellOptions, workload } from '../lib/lab.js';
import { BY_KEY, oneRow, select } from '../lib/statements.js';

export const options = cellOptions();

// Light: one row by its key.
export { select };

// The same, from few accounts or from all.
export const selectSome = select;

// Heavy: 2000 rows read on the server, one sent.
export { selectHeavy } from '../lib/statements.js';

// What may go to the standby? The same read, in forms that a balancer tells apart.
export const plain = workload(oneRow);

export const inBegin = workload((client) => {
  client.transaction(oneRow);
});

export const beginWrite = workload((client) => {
  client.transaction((tx) => {
    write(tx, 0);
    tx.exec(BY_KEY, account());
  });
});

export const volatileFunction = workload((client) => {
  client.exec('SELECT abalance, random() FROM pgbench_accounts WHERE aid = $1', account());
});

export const noLoadBalance = workload((client) => {
  client.exec(`/*NO LOAD BALANCE*/ ${BY_KEY}`, account());
});

export const twoStatements = workload((client) => {
  client.exec(`${BY_KEY}; SELECT 1`, account());
});

export const reconnectEach = workload({ keeps: false }, oneRow);

// Does a client read what it has just written? Each has a row of its own. Only a read on the standby can miss it.
const standbyReads = counter('lab_standby_reads');
const stale = counter('lab_stale');
const READ_BACK = `SELECT tbalance, current_setting('transaction_read_only') AS read_only
  FROM pgbench_tellers WHERE tid = $1`;

function write(client, value) {
  client.exec('UPDATE pgbench_tellers SET tbalance = $1 WHERE tid = $2', value, clientNumber());
}

function writeAndRead(client) {
  const value = account();
  write(client, value);
  const [row] = client.query(READ_BACK, clientNumber());
  if (row.read_only === 'on') standbyReads.add();
  if (row.tbalance !== value) stale.add();
}

export const writeRead = workload(writeAndRead);

export const writeReadBegin = workload((client) => {
  client.transaction(writeAndRead);
});

// Long reads on the standby, while four clients update rows that these still see, and clean up as they go.
const WRITERS = 4;
const LONG = { name: 'long', sql: 'SELECT count(*) FROM pgbench_tellers a, pgbench_tellers b, pgbench_tellers c' };

function onStandby(client) {
  const [row] = client.query('SELECT current_setting($1) AS mode', 'transaction_read_only');
  return row.mode === 'on';
}

// Pgpool-II draws a node for each session: readers connect until they have the standby.
function drawStandby(client) {
  while (clientNumber() > WRITERS && !onStandby(client)) client.connect();
}

export const longRead = workload({ warm: 0, setup: drawStandby }, (client) => {
  if (clientNumber() > WRITERS) client.exec(LONG);
  else client.exec('UPDATE pgbench_branches SET bbalance = bbalance + 1 WHERE bid = $1', clientNumber());
});

export default select;
