// What a client does over and over. A workload has
//   keeps   whether the client keeps its connection from turn to turn
//   turn    one turn: what is counted and timed
//   warm    how many turns each client takes before the measured window opens

// pgbench's
const ACCOUNTS_PER_SCALE = 100000;
const TELLERS_PER_SCALE = 10;

export const workloads = {
  // An application without a pool: connect, one statement, close.
  connect: {
    keeps: false,
    warm: 2,
    turn(client) {
      client.connect();
      client.exec('SELECT 1');
      client.close();
    },
  },

  // pgbench --select-only: one row by its key.
  select: {
    keeps: true,
    warm: 10,
    turn(client, cell) {
      const aid = 1 + Math.floor(Math.random() * ACCOUNTS_PER_SCALE * cell.scale);
      client.exec('SELECT abalance FROM pgbench_accounts WHERE aid = $1', aid);
    },
  },

  // pgbench's own: a transaction of five statements that writes.
  tpcb: {
    keeps: true,
    warm: 2,
    turn(client, cell) {
      const upTo = (most) => 1 + Math.floor(Math.random() * most);
      const aid = upTo(ACCOUNTS_PER_SCALE * cell.scale);
      const bid = upTo(cell.scale);
      const tid = upTo(TELLERS_PER_SCALE * cell.scale);
      const delta = upTo(10001) - 5001;
      client.transaction((tx) => {
        tx.exec('UPDATE pgbench_accounts SET abalance = abalance + $1 WHERE aid = $2', delta, aid);
        tx.exec('SELECT abalance FROM pgbench_accounts WHERE aid = $1', aid);
        tx.exec('UPDATE pgbench_tellers SET tbalance = tbalance + $1 WHERE tid = $2', delta, tid);
        tx.exec('UPDATE pgbench_branches SET bbalance = bbalance + $1 WHERE bid = $2', delta, bid);
        tx.exec('INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) VALUES ($1, $2, $3, $4, CURRENT_TIMESTAMP)', tid, bid, aid, delta);
      });
    },
  },
};
