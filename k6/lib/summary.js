// What a script reports at its end: all figures as JSON in the file that the
// cell names, or the important ones as text.

import pg from 'k6/x/pg';

// summary returns what a script says of its cell: the statistics that k6 keeps,
// the thresholds that make it keep them, and how to summarize them. All of it
// stands within the one function, since thousands of VUs evaluate this file and
// one of them calls it.
export function summary(cell, workload) {
  const trendStats = ['min', 'med', 'avg', 'p(90)', 'p(95)', 'p(99)', 'max', 'count'];

  const trends = [
    'pg_connect', 'pg_connect_dial', 'pg_connect_tls', 'pg_connect_auth',
    'pg_connect_first_statement', 'pg_prepare', 'pg_statement', 'pg_transaction', 'pg_pipeline', 'pg_copy',
    'pg_pool_wait', 'pg_response',
  ];
  const counters = [
    'pg_transactions', 'pg_prepare_transactions', 'pg_rollbacks', 'pg_connections', 'pg_reconnects', 'pg_rows',
    'pg_bytes_sent', 'pg_bytes_received', 'pg_round_trips', 'pg_errors', 'pg_late', 'pg_dropped',
  ];
  const phases = ['warmup', 'measure', 'after'];

  const connects = ['pg_connect', 'pg_connect_first_statement'];
  const inWindow = '{phase:measure}';

  // thresholds returns empty ones: they make k6 keep figures by tag. Each keeps
  // every value of a trend once more, so a tag that nobody asks for has none.
  const thresholds = () => Object.fromEntries([
    ...[...trends, ...counters].flatMap((metric) => phases.map((phase) => `${metric}{phase:${phase}}`)),
    ...[...workload.counters, ...workload.trends].map((metric) => metric + inWindow),
    ...connects.flatMap((metric) => [`${metric}{connect:first}`, `${metric}{connect:later}`]),
    ...workload.statements.map(submetric),
  ].map((metric) => [metric, []]));

  const submetric = (statement) => `pg_statement{phase:measure,statement:${statement}}`;

  // summarize returns what a script's handleSummary returns. Connects are told
  // apart whenever they were: the test's first one is part of the warm-up.
  function summarize(data) {
    const { metrics, state } = data;
    const { window, finish, errors } = pg.outcome();
    const result = {
      cell,
      window,
      finish: finish && withTPS(finish, sum(metrics[`pg_transactions${inWindow}`])),
      errors,
      first_connects: pick(metrics, connects.map((name) => [name, `${name}{connect:first}`])),
      later_connects: pick(metrics, connects.map((name) => [name, `${name}{connect:later}`])),
      statements: pick(metrics, workload.statements.map((name) => [name, submetric(name)])),
      counters: Object.fromEntries([...counters, ...workload.counters].map((name) => [name, sum(metrics[name + inWindow])])),
      metrics,
      state,
    };
    if (cell.summary) return { [cell.summary]: JSON.stringify(result) };
    return { stdout: text(result) };
  }

  // pick returns the values of those trends that have any, by the names they get.
  const pick = (metrics, named) => Object.fromEntries(named
    .filter(([, metric]) => metrics[metric] && metrics[metric].values.count)
    .map(([name, metric]) => [name, metrics[metric].values]));

  // withTPS adds transactions per second, with the time to connect and without.
  // pgbench has all clients connect before it starts its clock ('without initial
  // connection time'); here nobody waits, so what goes off is the mean time to
  // connect, as in pgbench up to 13 ('excluding connections establishing').
  const withTPS = (finish, transactions) => ({
    ...finish,
    tps_with_connect: transactions / finish.seconds,
    tps: transactions / (finish.seconds - finish.mean_connect_seconds),
  });

  const sum = (metric) => (metric ? metric.values.count : 0);

  function text({ window, finish, errors, metrics, statements, counters: counted }) {
    const lines = [`\n${cell.path}: ${cell.workload}, ${cell.clients} clients, ${cell.protocol} protocol`];
    if (!window) {
      lines.push('  the measured window never opened');
    } else {
      const count = counted.pg_transactions;
      lines.push(`  ${window.seconds.toFixed(2)} s measured, ${window.ready} of ${cell.clients} clients ready`);
      lines.push(`  ${count} transactions, ${(count / window.seconds).toFixed(1)} per second`);
    }
    if (finish) {
      lines.push(`  ${finish.connected} connected in ${finish.connected_seconds.toFixed(2)} s, ${finish.finished} finished, ${finish.starved} starved`);
      lines.push(`  ${finish.tps.toFixed(1)} per second without the mean time to connect`);
    }
    if (cell.rate > 0) lines.push(`  ${counted.pg_late} turns began late, ${counted.pg_dropped} never`);
    lines.push(`  ${'milliseconds'.padEnd(28)}${['med', 'p(95)', 'max', 'count'].map((s) => s.padStart(10)).join('')}`);
    const measured = pick(metrics, [...trends, ...workload.trends].map((name) => [name, name + inWindow]));
    for (const [name, { med, max, count, 'p(95)': p95 }] of Object.entries({ ...measured, ...statements })) {
      lines.push(`  ${name.padEnd(28)}${[med, p95, max].map((v) => v.toFixed(3).padStart(10)).join('')}${String(count).padStart(10)}`);
    }
    for (const name of workload.counters) lines.push(`  ${name.padEnd(28)}${String(counted[name]).padStart(40)}`);
    for (const { phase, code, count, message } of errors) {
      lines.push(`  error ${code}, ${count} times (${phase}): ${message}`);
    }
    return `${lines.join('\n')}\n\n`;
  }

  return { trendStats, thresholds, summarize };
}
