// What a cell is. The lab gives it as JSON in LAB_CELL; a script that runs
// alone takes the first cell of the lesson's first group and these settings,
// each of which can be given: k6 run -e LAB_CLIENTS=20 -e LAB_PARAMS='{"rows": 10}' ...

const alone = {
  group: '', // alone, its name picks another group than the first
  path: 'direct',
  dsn: 'host=primary port=5432 dbname=lab user=app sslmode=disable',
  dsns: {}, // by path, of all available ones, without latency: what clientTo(path) connects to
  role: 'app', // how clients log in: app, app_clear or app_trust
  link: '', // the one under study
  latency_ms: null, // of round trip that the link adds; null: no proxy in the way
  workload: 'select',
  params: {}, // of the workload; sslmode is the client's
  protocol: 'prepared', // simple, extended or prepared
  clients: 10,
  pool_size: 0, // server connections that PgBouncer may have; 0: as configured, or no PgBouncer
  pods: 0, // processes of an application that the clients are divided among; 0: a connection a client
  pod_pool: 0, // connections of each pod's pool
  transactions: 0, // that each client does before it disconnects; 0: as many as the window has room for
  rate: 0, // turns per second over all clients; 0: a turn begins when the one before it has ended
  seconds: 5, // least length of the measured window; with transactions the most it may last
  warmup_seconds: 1, // longest wait for the clients to be ready; what is left of it is measured too
  deadline_seconds: 0, // of the whole script: statements that hang are cancelled before it; 0: 20 s beside the window
  scale: 10, // pgbench's, of the data
  seed: 0, // of the random numbers; 0: others in each run
  summary: '', // file for the figures; empty: print them
};

const SLACK = 20; // seconds

// settings returns the cell.
export function settings(lab) {
  const cell = __ENV.LAB_CELL ? { ...alone, ...JSON.parse(__ENV.LAB_CELL) } : given({ ...alone, ...firstOf(lab.groups || []) });
  cell.params = cell.params || {};
  cell.deadline_seconds = cell.deadline_seconds || cell.warmup_seconds + cell.seconds + SLACK;
  return cell;
}

// firstOf returns what the lesson says of its first group's first cell.
function firstOf(groups) {
  const group = groups.find(({ name }) => name === __ENV.LAB_GROUP) || groups[0] || {};
  const lists = { role: group.roles, pods: group.pods, pod_pool: group.pod_pools, workload: group.workload, protocol: group.protocol, clients: group.clients };
  const cell = Object.fromEntries(Object.entries(group).filter(([name]) => name in alone));
  for (const [name, list] of Object.entries(lists)) {
    if (list !== undefined) cell[name] = [list].flat()[0];
  }
  return cell;
}

// given puts the environment's settings in the place of those in cell.
function given(cell) {
  const settings = Object.entries(cell).map(([name, value]) => {
    const text = __ENV[`LAB_${name.toUpperCase()}`];
    if (text === undefined) return [name, value];
    return [name, typeof alone[name] === 'string' ? text : JSON.parse(text)];
  });
  return Object.fromEntries(settings);
}
