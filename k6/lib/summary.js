// What a script reports at its end: all figures as JSON in the file that the
// cell names, or the important ones as text.

import pg from 'k6/x/pg';

export const trendStats = ['min', 'med', 'avg', 'p(90)', 'p(95)', 'p(99)', 'max', 'count'];

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

// thresholds returns empty ones: they make k6 keep figures per phase.
export const thresholds = () => Object.fromEntries([...trends, ...counters].flatMap(
  (metric) => phases.map((phase) => [`${metric}{phase:${phase}}`, []])));

// summarize returns what a script's handleSummary returns.
export function summarize(cell, data) {
  const result = { cell, ...pg.outcome(), metrics: data.metrics, state: data.state };
  if (cell.summary) return { [cell.summary]: JSON.stringify(result) };
  return { stdout: text(cell, result) };
}

function text(cell, { window, errors, metrics }) {
  const lines = [`\n${cell.path}: ${cell.workload}, ${cell.clients} clients, ${cell.protocol} protocol`];
  if (!window) {
    lines.push('  the measured window never opened');
  } else {
    const count = metrics['pg_transactions{phase:measure}'].values.count;
    lines.push(`  ${window.seconds.toFixed(2)} s measured, ${window.ready} of ${cell.clients} clients ready`);
    lines.push(`  ${count} transactions, ${(count / window.seconds).toFixed(1)} per second`);
    lines.push(`  ${'milliseconds'.padEnd(28)}${['med', 'p(95)', 'max', 'count'].map((s) => s.padStart(10)).join('')}`);
  }
  for (const name of trends) {
    const metric = metrics[`${name}{phase:measure}`];
    if (!metric || !metric.values.count) continue;
    const { med, max, count, 'p(95)': p95 } = metric.values;
    lines.push(`  ${name.padEnd(28)}${[med, p95, max].map((v) => v.toFixed(3).padStart(10)).join('')}${String(count).padStart(10)}`);
  }
  for (const { phase, code, count, message } of errors) {
    lines.push(`  error ${code}, ${count} times (${phase}): ${message}`);
  }
  return `${lines.join('\n')}\n\n`;
}
