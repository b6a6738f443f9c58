// Waits: where does the server wait when the network is slow?
//
//   scripts/run 04-waits                                     the lesson
//   scripts/k6 run -e LAB_EXPERIMENT=slow-app k6/lessons/04-waits.js
//
// Expect: behind a slow network the server waits to send a large result (ClientWrite), and for the next message of a
// bulk load or of a transaction (ClientRead). Between single statements its session is idle. A slow application looks
// the same.

import { sleep } from 'k6';
import { options as cellOptions, workload } from '../lib/lab.js';
import { selectOne } from '../lib/statements.js';
import { tpcb, tpcbStatements } from '../lib/tpcb.js';

export const options = cellOptions();

// Single statements: between two of them the session is idle.
export const single = workload(selectOne);

// Small transactions: between two statements the server waits for the client.
export { tpcb };

// The same by an application that takes its time before each message, as a slow network does.
export const slowApp = workload((client, { params: { pause_ms: pauseMs = 11 } }) => {
  const pause = () => sleep(pauseMs / 1000);
  pause();
  client.transaction((tx) => {
    const slowly = {
      exec(...statement) {
        pause();
        tx.exec(...statement);
      },
    };
    tpcbStatements(slowly);
    pause();
  });
});

// A large result out, as pg_dump reads it: accounts of about 97 bytes.
export const bulkRead = workload({ warm: 1 }, (client, { params: { rows = 400000 } }) => {
  client.copyOut(`COPY (SELECT * FROM pgbench_accounts WHERE aid <= ${rows}) TO STDOUT`);
});

// A bulk load in: rows of 91 bytes, into a table that is emptied first.
const empty = (client) => client.exec('TRUNCATE lab_load');

export const bulkLoad = workload({ warm: 1, setup: empty }, (client, { params: { rows = 400000 } }) => {
  const row = `1\t1\t0\t${' '.repeat(84)}\n`;
  client.copyIn('COPY lab_load FROM STDIN', row, { repeat: rows });
});

// Work for the server: 2000 rows read there, one sent.
export { selectHeavy } from '../lib/statements.js';

export default tpcb;
