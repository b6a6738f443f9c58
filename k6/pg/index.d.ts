/** PostgreSQL for k6. Durations are measured in milliseconds, with microsecond resolution. */

/** A value that can be sent as a parameter. Arrays and plain objects are sent as JSON. */
export type Argument =
  | null | undefined | boolean | number | bigint | string | Date | Uint8Array | ArrayBuffer | object;

/**
 * A value of a row. Integers that a number can't hold exactly are bigint, bytea is an
 * ArrayBuffer, json and jsonb are what they mean; every other type (numeric, dates,
 * arrays, ...) is the server's own text, so that nothing is lost.
 */
export type Value = null | boolean | number | bigint | string | ArrayBuffer | object;

export interface ClientOptions {
  /** Connection string as libpq and pgx accept it; PG* variables complete it. TLS only where sslmode asks for it. */
  dsn: string;
  /** Goes before PGPASSWORD and the dsn's own. */
  password?: string;
  /** Tag `path` of the client's samples. */
  path?: string;
  /**
   * simple: one Query message, arguments written into the text, several statements allowed;
   * extended: parse, bind, execute in one round trip;
   * prepared (the default): prepared when first met, then bind and execute.
   */
  protocol?: 'simple' | 'extended' | 'prepared';
}

/** One connection, used by one VU. */
export interface Client {
  /** Opens the connection, after closing one that is still open. */
  connect(): void;
  /** False before connect(), after close() and after the connection was dropped. */
  connected(): boolean;
  /** Runs a statement and returns how many rows it affected or returned; the rows aren't kept. */
  exec(sql: string, ...args: Argument[]): number;
  /** Runs a statement and returns its rows. */
  query(sql: string, ...args: Argument[]): Array<{ [column: string]: Value }>;
  /** Says goodbye to the server. What is open when the test ends is closed by then. */
  close(): void;
}

/** What connect(), exec() and query() throw. */
export interface PgError extends Error {
  name: 'PgError';
  /**
   * SQLSTATE where the server sent one, otherwise refused, dial, timeout, dropped, cancelled
   * (the test was stopped), address_exhausted, files_exhausted (both this machine's fault),
   * not_connected or client.
   */
  code: string;
  detail?: string;
  hint?: string;
}

export interface WindowOptions {
  /** VUs that the window waits for. */
  clients: number;
  /** Longest wait for them, in seconds since the scenario began. */
  warmup?: number;
  /** Least length of the window. It ends warmup + seconds after the scenario began. */
  seconds: number;
}

/** The measured window of a test, one for all VUs. Samples get the tag `phase`: warmup, measure or after. */
export interface Window {
  /** This VU is ready: waits until all are ready or have failed, or the warm-up's time is over. */
  ready(): void;
  /** This VU couldn't get ready; waits as ready() does. */
  fail(): void;
}

export interface PaceOptions {
  /** Turns per second, over all clients. */
  rate: number;
  /** VUs that share them. */
  clients: number;
}

/** An open model: turns are due at fixed moments, and a VU that was held up begins its overdue turns at once. */
export interface Pace {
  /** Waits until the next turn is due and returns true, or false where the window ends before it. */
  wait(): boolean;
  /** The turn has succeeded: pg_response is the time since it was due. */
  done(): void;
}

/** For handleSummary: what k6's own data can't say. */
export interface Outcome {
  /** Null if it never opened. start and end are UTC, RFC 3339; ready and failed count clients at the opening. */
  window: { start: string; end: string; seconds: number; ready: number; failed: number } | null;
  /** message is the first one's. phase is empty in a test without a window. */
  errors: Array<{ phase: string; code: string; count: number; message: string }>;
}

declare const pg: {
  client(options: ClientOptions): Client;
  window(options: WindowOptions): Window;
  pace(options: PaceOptions): Pace;
  outcome(): Outcome;
};
export default pg;
export function client(options: ClientOptions): Client;
export function window(options: WindowOptions): Window;
export function pace(options: PaceOptions): Pace;
export function outcome(): Outcome;
