// Keeps the map up to date, and has its links chosen by pointer and keyboard.
import { asked, brief, count, ms, plate as small, round, whole } from './format.js';

const map = document.getElementById('map');
const setText = (element, text) => { if (element.textContent !== text) element.textContent = text; };
const setAttribute = (element, name, value) => { if (element.getAttribute(name) !== value) element.setAttribute(name, value); };

export function paintMap(state, chosen, figures) {
  const busy = new Set(['running', 'starting'].includes(state.load.state) ? state.load.paths : []);
  for (const link of state.links) {
    const group = map.querySelector(`[data-link="${CSS.escape(link.name)}"]`);
    if (group) paintLink(group, link, chosen === 'all' || chosen === link.name, link.used_by?.some((path) => busy.has(path)));
  }
  for (const group of map.querySelectorAll('.box')) {
    paintNode(group, state.nodes.filter((node) => node.name === group.dataset.node || node.name.startsWith(`${group.dataset.node}-`)), state, figures);
  }
  const loose = state.links.filter((link) => !map.querySelector(`[data-link="${CSS.escape(link.name)}"]`));
  const says = document.getElementById('loose');
  says.hidden = !loose.length && state.toxiproxy.up;
  setText(says, state.toxiproxy.up ? loose.map((link) => `${link.name}: ${asked(link)}, ${round(link)}`).join(' · ')
    : `toxiproxy doesn't answer, so no link can be swapped or measured: ${state.toxiproxy.reason}`);
}

function paintLink(group, link, chosen, busy) {
  for (const [name, on] of [['slow', link.known && link.latency_ms > 0 && !link.cut], ['cut', link.cut], ['off', link.off], ['busy', busy], ['chosen', chosen]]) {
    group.classList.toggle(name, Boolean(on));
  }
  const plate = group.querySelector('.round');
  setText(plate, round(link));
  plate.classList.toggle('words', plate.textContent === 'not measured');
  setText(group.querySelector('.asked'), small(link));
  setAttribute(group, 'aria-pressed', String(chosen));
  // Whole milliseconds: a label that changes each second would be read aloud each second.
  const measured = link.measured_ms == null ? `not measured${link.reason ? `: ${link.reason}` : ''}` : `measured about ${Math.round(link.measured_ms)} ms`;
  setAttribute(group, 'aria-label', `${link.name}: ${link.cut ? 'cut' : `${asked(link)}, ${measured}`}`);
  setText(group.querySelector('title'), `${link.name}: ${asked(link)}, ${link.measured_ms == null ? `not measured${link.reason || link.off ? `: ${link.off || link.reason}` : ''}` : `measured ${ms(link.measured_ms)}`}`);
}

// paintNode writes one box; Pgpool-II stands in two places and is one box.
function paintNode(group, nodes, state, figures) {
  const [node] = nodes;
  if (!node) return;
  setAttribute(group, 'data-state', node.state);
  const role = node.role && node.role !== node.name ? node.role : '';
  setText(group.querySelector('.role'), role);
  const lines = node.name === 'client' ? clientSays(state, figures) : nodes.flatMap(nodeSays);
  const says = group.querySelector('.says'), key = JSON.stringify(lines);
  setAttribute(says, 'title', lines.map(({ much, text }) => [much, text].filter(Boolean).join(' ')).join('\n')); // what has no room in its box
  if (says.dataset.key === key) return;
  says.dataset.key = key;
  says.replaceChildren(...lines.map(line));
}

// line makes a line of text, of which a number may be large, or a bar.
function line({ much, text, share, of, kind }) {
  if (share !== undefined) {
    const bar = document.createElement('progress');
    Object.assign(bar, { max: of || 1, value: share });
    bar.setAttribute('aria-label', text);
    return bar;
  }
  const p = document.createElement('p');
  if (kind) p.className = kind;
  if (much) {
    const b = document.createElement('b');
    b.className = 'much';
    b.textContent = much;
    p.append(b, ' ');
  }
  p.append(text);
  return p;
}

function nodeSays(node) {
  const near = node.name.endsWith('-near-app') ? 'near the app: ' : '';
  if (node.state !== 'up') {
    const reason = brief(node.reason);
    return [{ text: near + (reason === 'paused' ? reason : [node.state, reason].filter(Boolean).join(': ')) }];
  }
  const says = [];
  if (near) return [{ text: `${near}up` }];
  // Pgpool-II's own count, so that what it spreads shows; 0 is no news where nothing goes through it.
  if (node.selects_per_second > 0) says.push({ much: whole(node.selects_per_second), text: `SELECTs/s${node.kind === 'database' ? ' by Pgpool-II' : ''}` });
  if (node.backends != null) says.push({ text: count(node.backends, 'backend') });
  if (node.replication_lag_ms != null) says.push({ text: `lag ${ms(node.replication_lag_ms)}` });
  else if (node.role === 'standby') says.push({ text: 'lag not measured' });
  if (node.servers_active != null) {
    says.push({ text: `${node.servers_active} of ${node.pool_size ?? '?'} in use, ${node.servers_idle ?? '?'} idle` });
    if (node.pool_size) says.push({ share: node.servers_active, of: node.pool_size, text: 'pool use' });
  }
  if (node.waiting_clients != null) says.push({ much: whole(node.waiting_clients), text: `client${node.waiting_clients === 1 ? '' : 's'} waiting`, kind: node.waiting_clients > 0 ? 'waiting' : '' });
  return says.length ? says : [{ text: 'up' }];
}

function clientSays({ load }, figures) {
  if (load.state !== 'running') return [{ text: `load ${load.state}` }];
  const tps = Object.values(figures ?? {}).reduce((sum, path) => sum + path.tps, 0);
  return [{ much: whole(tps), text: 'TPS' }, { text: `${load.paths.length} × ${count(load.clients, 'client')}` }, { text: load.workload }];
}

export function chooseOnMap(choose) {
  for (const group of map.querySelectorAll('.link')) {
    group.addEventListener('click', () => choose(group.dataset.link));
    group.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' && event.key !== ' ') return;
      event.preventDefault();
      choose(group.dataset.link);
    });
  }
}
