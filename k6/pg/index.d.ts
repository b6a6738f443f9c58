/** PostgreSQL for k6. Durations are measured in milliseconds, with microsecond resolution. */

/**
 * A value that can be sent as a parameter, alike in all protocols: the server takes it for the type that it needs, as
 * it takes a quoted literal. Where the text doesn't say which type that is, write it: $1::int.
 *
 * Numbers arrive as JavaScript prints them, dates as toISOString() has them. undefined is NULL. Arrays and plain
 * objects are JSON, as JSON.stringify makes it. For an array of PostgreSQL's, send its text: '{1,2}'.
 *
 * What would arrive as something else is an error that names the argument: invalid dates and those before the year 1,
 * functions, symbols, promises, Map, Set, RegExp, typed arrays but those of bytes; texts with a character U+0000. Half
 * of a surrogate pair arrives as U+FFFD.
 */
export type Argument =
  | null | undefined | boolean | number | bigint | string | Date | Uint8Array | Uint8ClampedArray | ArrayBuffer
  | { [key: string]: unknown } | (object & { call?: never });

/**
 * A value of a row. Integers above Number.MAX_SAFE_INTEGER are bigint. bytea is an ArrayBuffer, json and jsonb are what
 * JSON.parse makes of them; every other type (numeric, dates, arrays, ...) is the server's own text, so that nothing is
 * lost.
 */
export type Value = null | boolean | number | bigint | string | ArrayBuffer | object;

/**
 * What to do: an SQL text, or a text with a name, which samples carry as the tag `statement`.
 * Parameters are $1, $2, ... in every protocol.
 */
export type Statement = string | { name: string; sql: string };

export interface ClientOptions {
  /**
   * Connection string as libpq and pgx accept it (keywords or URL); PGHOST and the other PG* variables complete it, or
   * say all of it. sslmode is disable (also where it isn't given), allow, prefer, require, verify-ca or verify-full.
   * A string that names a host has port 5432 unless it names one: PGPORT belongs to PGHOST.
   */
  dsn?: string;
  /** Goes before PGPASSWORD and the dsn's own. */
  password?: string;
  /** Tag `path` of the client's samples. */
  path?: string;
  /**
   * simple: one Query message, arguments written into the text as quoted literals, several statements allowed;
   * extended: parse, bind, execute in one round trip;
   * prepared (the default): prepared when first met, then bind and execute. A connection keeps 512 statements.
   */
  protocol?: 'simple' | 'extended' | 'prepared';
  /**
   * Seconds that an answer may take; 0 (the default): any. Then the client closes its connection, and the error's code
   * is timeout. A server that is only slow is asked to cancel the statement. A connect has the dsn's connect_timeout
   * instead.
   */
  timeout?: number;
  /**
   * Seconds that an answer may take; 0 (the default): any. Then the server is asked to cancel the statement, and the
   * client waits for its answer: the error 57014 mostly, or success where it was too late.
   */
  queryTimeout?: number;
  /**
   * Milliseconds for which a link of the lab holds back what a new connection sends first, in place of TCP's handshake;
   * 0 (the default): none. They count as dial, not as TLS or authentication. scripts/run sets it.
   */
  tcpHandshake?: number;
}

/** What can be sent, over a connection of one's own or over one that a pool lends. */
export interface Queries {
  /** Runs a statement and returns how many rows it affected or returned; the rows aren't kept. */
  exec(statement: Statement, ...args: Argument[]): number;
  /** Runs a statement and returns its rows. */
  query(statement: Statement, ...args: Argument[]): Row[];
  /**
   * BEGIN, what fn does with the client it is given, COMMIT; returns what fn returns. Where fn throws, it is
   * rolled back and the exception goes on. fn must not be async.
   */
  transaction<T>(fn: (tx: Queries) => T extends PromiseLike<unknown> ? never : T): T;
  /**
   * Sends all statements that fn queues at once and waits for all answers: one round trip (and one for each
   * statement that must be prepared first). Returns counts and rows in their order. One transaction, unless
   * it is part of one (through Pgpool-II it should be: see the README).
   */
  pipeline(fn: (p: Pipeline) => void): Array<number | Row[]>;
  /**
   * One COPY ... FROM STDIN, which exec() and pipelines refuse. Data is text or bytes, sent `repeat` times (1).
   * Returns the number of rows.
   */
  copyIn(sql: Statement, data: Data, options?: { repeat?: number }): number;
  /** One COPY ... TO STDOUT, which exec() and query() refuse: returns the number of rows, and keeps none. */
  copyOut(sql: Statement): number;
}

export type Row = { [column: string]: Value };
export type Data = string | Uint8Array | ArrayBuffer;

/** Queues statements. */
export interface Pipeline {
  /** Its result will be how many rows it affected or returned. */
  exec(statement: Statement, ...args: Argument[]): void;
  /** Its result will be its rows. */
  query(statement: Statement, ...args: Argument[]): void;
}

/**
 * One connection, used by one VU. It stays open until close() or the end of the test, even where the VU has left (VUs
 * ramp down, or its scenario is over): k6 tells nobody that it has.
 */
export interface Client extends Queries {
  /** Opens the connection, after closing one that is still open. */
  connect(): void;
  /** False before connect(), after close() and after the connection was dropped. */
  connected(): boolean;
  /** Says goodbye to the server. What is open when the test ends is closed by then. */
  close(): void;
}

export interface PoolOptions extends ClientOptions {
  /** Most connections (10). */
  size?: number;
  /** Tells pools of the same options apart. */
  name?: string;
}

/**
 * An application's own pool: VUs that give the same options share its connections. Each call borrows one and
 * waits for it (pg_pool_wait); transaction() keeps it to the end.
 */
export interface Pool extends Queries {
  /**
   * Returns how many connections the pool has, when these are as many as its size and the server allow. One VU tries,
   * once for all of them. What the server refused is counted (pg_errors), and the pool goes on with what it has.
   */
  fill(): number;
  /** False where this VU's last call got no connection, or lost it. */
  connected(): boolean;
}

/** What connect() and everything in Queries throw. */
export interface PgError extends Error {
  name: 'PgError';
  /**
   * SQLSTATE where the server sent one, otherwise refused, dial, tls, timeout, dropped, cancelled
   * (the test was stopped), address_exhausted, files_exhausted (both this machine's fault),
   * rolled_back (a transaction that had failed was to be committed), not_connected or client.
   */
  code: string;
  detail?: string;
  hint?: string;
}

export interface WindowOptions {
  /** VUs that the window waits for. */
  clients: number;
  /** Length of the window. Statements that outlast it by ten seconds are cancelled. */
  seconds: number;
  /** Cells whose clients are measured in it at once (1). */
  cells?: number;
  /** The cell of this VU, from 0. */
  cell?: number;
  /** File to which the moment goes at which the window opens. */
  opened?: string;
  /** File that closes the window before its seconds are over, once it exists. */
  stop?: string;
  /**
   * Seconds that all clients iterate before the window opens: `least` at least, until their rate is steady or `most`
   * are over. Without `most` it opens as soon as all are ready.
   */
  least?: number;
  most?: number;
}

/** The measured window of a test, one for all VUs. Samples get the tag `phase`: warmup, measure or after. */
export interface Window {
  /** This VU is ready: waits until all are ready or have failed. With `most`, the window may open later. */
  ready(): void;
  /** This VU couldn't get ready; waits as ready() does. */
  fail(): void;
  /** Whether the window has closed. Call it after each iteration: it counts them. */
  over(): boolean;
}

export interface FixedIterationsOptions {
  /** VUs that take part. */
  clients: number;
  /** What each of them is to do. */
  iterations: number;
  /** Most that all of it may take. */
  seconds: number;
}

/**
 * A fixed amount of work in place of a window: each client connects, does its iterations and leaves, and none waits for
 * another. The measured window opens with the first start() and closes when all clients have ended, or after seconds.
 * All but start() return false when that time is over.
 */
export interface FixedIterations {
  /** This VU's first step is about to begin. */
  start(): void;
  /** It is connected. */
  connected(): boolean;
  /** It has done one more iteration. */
  iteration(): boolean;
  /** It has done its iterations, or failed for good. */
  end(): boolean;
}

export interface SlotsOptions {
  /** Of this VU. */
  side: 'of' | 'to';
  /** VUs of each side: of, to. */
  clients: [number, number];
  /**
   * Measured part of each slot, in milliseconds. 0: the least of 300, 400, ... 900, which are whole periods of CPU
   * limits, that holds 20 iterations of the slower side.
   */
  slot?: number;
  /** Most seconds from the first group to the last. */
  at_most: number;
  /** Seconds more that it may take until both sides are steady: `stop` ends a pair that was so at once. */
  settle?: number;
  /**
   * Groups that have to fit into that: otherwise the pair is too slow, and over. One that lacks some of them when its
   * time is over goes on for a quarter of it at most.
   */
  fewest?: number;
  /** Of the order of the slots and of their leads; 0: others each time. */
  seed?: number;
  /** File to which k6's output lab adds a line of JSON for each group. */
  groups?: string;
  /** The pair is over after the group in which this file came to be. */
  stop?: string;
}

/**
 * Two sides of clients that alternate. In each slot the clients of one side are at work; the next slot begins when all
 * of them wait again. Four slots make a group: of, to, to, of, or the other way round. The first 100 to 200 ms of a
 * slot aren't measured, nor is what ends after its measured part: phase is `measure` for what ends in the measured part
 * of a slot of its own side, `warmup` before the first of these, and `after` otherwise.
 *
 * One of k6's iterations must do it all, until wait() returns false.
 */
export interface Slots {
  /** Number of this client among those of its side, from 0. */
  place(): number;
  /** This client is ready: it returns at once, and the first slots begin when all clients wait or have left. */
  ready(): void;
  /** This client couldn't get ready. It may try again in its slots. */
  fail(): void;
  /** Waits until the next slot of the side has begun and returns true, or false when the pair is over. */
  wait(): boolean;
  /** Whether the measured part of the slot has ended: then finish and wait(). Call it before each iteration. */
  over(): boolean;
  /** This client does nothing any more. */
  leave(): void;
}

export interface PaceOptions {
  /** Iterations per second, over all clients. */
  rate: number;
  /** VUs that share them. */
  clients: number;
}

/** An open loop: iterations are due at fixed moments, and a VU that was held up begins its overdue ones at once. */
export interface Pace {
  /** Waits until the next iteration is due and returns true, or false where the window ends before it. */
  wait(): boolean;
  /** The iteration has succeeded: pg_response_time is the time since it was due. */
  done(): void;
}

export interface IterationsOptions {
  /** Tag of the samples. */
  path?: string;
  /** Each iteration opens a connection and closes it. */
  connects?: boolean;
  /** Each has a response time, from begin() to the end of its last statement. */
  timed?: boolean;
  /**
   * Each iteration becomes a sample of pg_attempt, from begin() to done() or failed(). Its metadata are a row of the
   * ledger: client, number (of the attempt, from 1), workload, outcome (ok, or an error's code), server, transaction,
   * and the warning that the server sent to the VU's client. k6's output lab writes them to a CSV file beside its
   * summary.
   */
  ledger?: boolean;
  /** Of the ledger: this client's number. */
  client?: number;
  /** Of the ledger. */
  workload?: string;
}

/** Counts a VU's iterations (pg_iterations), and times them where that is asked for (pg_response_time). */
export interface Iterations {
  /** The next one begins, with its connect. */
  begin(): void;
  /** It has succeeded. It ended with its last statement. A ledger keeps which server answered, and the transaction. */
  done(server?: string, transaction?: string): void;
  /** It has failed, with that error's code: for the ledger. */
  failed(code: string): void;
}

/** Where in the test something belongs that ends now; empty in a test without a window. */
export type Phase = '' | 'warmup' | 'measure' | 'after';

declare const pg: {
  client(options: ClientOptions): Client;
  pool(options: PoolOptions): Pool;
  window(options: WindowOptions): Window;
  fixedIterations(options: FixedIterationsOptions): FixedIterations;
  slots(options: SlotsOptions): Slots;
  pace(options: PaceOptions): Pace;
  iterations(options: IterationsOptions): Iterations;
  phase(): Phase;
  seed(seed: number): void;
};
export default pg;
export function client(options: ClientOptions): Client;
export function pool(options: PoolOptions): Pool;
export function window(options: WindowOptions): Window;
export function fixedIterations(options: FixedIterationsOptions): FixedIterations;
export function slots(options: SlotsOptions): Slots;
export function pace(options: PaceOptions): Pace;
export function iterations(options: IterationsOptions): Iterations;
/** The phase of the VU's last statement, for a script's own samples. */
export function phase(): Phase;
/**
 * Has the VU draw the numbers of this seed with Math.random(), as randomSeed of k6 does in 5 KB a VU;
 * 0: others each time.
 */
export function seed(seed: number): void;
