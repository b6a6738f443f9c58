// A client of a cell: a connection of its own, or its pod's pool.

import { sleep } from 'k6';
import pg from 'k6/x/pg';

const RECONNECT_PAUSE = 0.1; // seconds

const password = __ENV.PGPASSWORD || __ENV.APP_PASSWORD || '';

let cell;

// clientTo returns one more client: of another path than the cell's, without
// latency. It is the workload's to connect.
export function clientTo(path) {
  const dsn = cell.dsns[path];
  if (!dsn) throw new Error(`no way to the path ${path} is known, only to ${Object.keys(cell.dsns)}; alone, LAB_DSNS='{"${path}": "host=..."}' gives it`);
  return pg.client({ dsn, password, path, protocol: cell.protocol });
}

// makeClient returns the client of this VU. It calls connected() after each connect.
export function makeClient(ofCell, workload, connected) {
  cell = ofCell;
  const { path, protocol, pods, params } = cell;
  // A lesson that wants TLS says so: of two settings in a dsn the later one counts.
  const dsn = params.sslmode ? `${cell.dsn} sslmode=${params.sslmode}` : cell.dsn;
  const pooled = pods > 0;
  const client = pooled
    ? pg.pool({ dsn, password, path, protocol, size: cell.pod_pool, name: `pod ${(__VU - 1) % pods}` })
    : pg.client({ dsn, password, path, protocol });
  let open = false;
  let alive = true;

  function connect() {
    if (!pooled) client.connect();
    if (!pooled || fill(client) === cell.pod_pool) connected();
    if (workload.setup) workload.setup(client, cell);
    open = true;
  }

  // attempt takes one turn and returns whether it went well. The module has
  // counted what went wrong; the cell goes on.
  function attempt() {
    try {
      if (!open) connect();
      workload.turn(client, cell);
      return true;
    } catch (error) {
      if (error.name !== 'PgError') throw error;
      alive = client.connected();
      open = open && (pooled || alive);
      // A pace says when the next turn is due, after a failure too.
      if (!alive && !cell.rate && !cell.transactions) sleep(RECONNECT_PAUSE);
      return false;
    } finally {
      if (!workload.keeps && !pooled) {
        client.close();
        open = false;
      }
    }
  }

  return { attempt, alive: () => alive, close: () => pooled || client.close() };
}

// fill opens all connections of a pool, as far as the server lets it, and
// returns how many there are: what the server refuses has been counted, and
// the clients share what they have.
function fill(pool) {
  try {
    pool.fill();
  } catch (error) {
    if (error.name !== 'PgError') throw error;
  }
  return pool.stat().total;
}
