// What a client does over and over. A workload has
//   keeps   whether the client keeps its connection from turn to turn
//   turn    one turn: what is counted and timed
//   warm    how many turns each client takes before the measured window opens

const ACCOUNTS_PER_SCALE = 100000; // pgbench's

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
};
