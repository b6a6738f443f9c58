// What a client does over and over, in more than one lesson. cell.js says what
// a workload may have. Each is made when it is asked for: thousands of VUs
// have no room for all of them.

// pgbench's
const ACCOUNTS_PER_SCALE = 100000;
const TELLERS_PER_SCALE = 10;

const upTo = (most) => 1 + Math.floor(Math.random() * most);

// numbers returns what pgbench draws for one of its transactions.
const numbers = ({ scale }) => ({
  aid: upTo(ACCOUNTS_PER_SCALE * scale),
  bid: upTo(scale),
  tid: upTo(TELLERS_PER_SCALE * scale),
  delta: upTo(10001) - 5001,
});

// statements has pgbench's five statements done by tx, in its order.
function statements(tx, { aid, bid, tid, delta }) {
  tx.exec('UPDATE pgbench_accounts SET abalance = abalance + $1 WHERE aid = $2', delta, aid);
  tx.exec('SELECT abalance FROM pgbench_accounts WHERE aid = $1', aid);
  tx.exec('UPDATE pgbench_tellers SET tbalance = tbalance + $1 WHERE tid = $2', delta, tid);
  tx.exec('UPDATE pgbench_branches SET bbalance = bbalance + $1 WHERE bid = $2', delta, bid);
  tx.exec('INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) VALUES ($1, $2, $3, $4, CURRENT_TIMESTAMP)', tid, bid, aid, delta);
}

// sum reads a range of so many accounts on the server and sends one row.
const sum = (usual) => (client, { scale, params: { rows = usual } }) => {
  const first = upTo(Math.max(1, ACCOUNTS_PER_SCALE * scale - rows + 1));
  client.exec('SELECT sum(abalance) FROM pgbench_accounts WHERE aid BETWEEN $1 AND $2', first, first + rows - 1);
};

// One row of pgbench_accounts as COPY has it.
const loadedRow = () => `1\t1\t0\t${' '.repeat(84)}\n`;

// shared returns the workload of that name, or nothing.
export function shared(name) {
  switch (name) {
    // pgbench --select-only: one row by its key.
    case 'select':
      return {
        warm: 10,
        turn(client, { scale }) {
          client.exec('SELECT abalance FROM pgbench_accounts WHERE aid = $1', upTo(ACCOUNTS_PER_SCALE * scale));
        },
      };

    // pgbench's own: a transaction of five statements that writes. Seven round trips.
    case 'tpcb':
      return {
        turn(client, cell) {
          client.transaction((tx) => statements(tx, numbers(cell)));
        },
      };

    // An application without a pool: connect, one statement, close.
    case 'connect':
      return {
        keeps: false,
        turn(client) {
          client.exec('SELECT 1');
        },
      };
    case 'reconnect-select':
      return { ...shared('select'), warm: 2, keeps: false };
    case 'reconnect-tpcb':
      return { ...shared('tpcb'), keeps: false };

    // tpcb's five statements in one call. One round trip.
    case 'tpcb-function':
      return {
        turn(client, cell) {
          const { aid, bid, tid, delta } = numbers(cell);
          client.exec('SELECT lab_tpcb($1, $2, $3, $4)', aid, bid, tid, delta);
        },
      };

    // The same statements as tpcb, BEGIN and COMMIT included, all sent at once. One round trip.
    case 'tpcb-pipeline':
      return {
        turn(client, cell) {
          client.pipeline((p) => {
            p.exec('BEGIN');
            statements(p, numbers(cell));
            p.exec('COMMIT');
          });
        },
      };

    // tpcb with one branch, as at scale 1: the lock on its row is held from the
    // fourth statement to COMMIT, so for two round trips, and all others wait.
    case 'tpcb-one-row':
      return {
        turn(client, cell) {
          client.transaction((tx) => statements(tx, { ...numbers(cell), bid: 1 }));
        },
      };

    // params.rows accounts read on the server, one row sent.
    case 'select-heavy':
      return { turn: sum(2000) };
    case 'long-query':
      return { turn: sum(100000) };

    // A large result out, as pg_dump reads it: params.rows accounts of about 97 bytes.
    case 'bulk-read':
      return {
        warm: 1,
        turn(client, { params: { rows = 100000 } }) {
          client.copyOut(`COPY (SELECT * FROM pgbench_accounts WHERE aid <= ${rows}) TO STDOUT`);
        },
      };

    // A bulk load in: params.rows rows of 91 bytes. The table is emptied when a client has connected.
    case 'bulk-load':
      return {
        warm: 1,
        setup(client) {
          client.exec('TRUNCATE lab_load');
        },
        turn(client, { params: { rows = 100000 } }) {
          client.copyIn('COPY lab_load FROM STDIN', loadedRow(), { repeat: rows });
        },
      };
  }
  return undefined;
}
