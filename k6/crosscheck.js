// What scripts/crosscheck compares with pgbench: one cell, with pgbench's own statements, or two paths that alternate.

import { sleep } from 'k6';
import { account, options as cellOptions, workload } from './lib/lab.js';

export const options = pathsOptions();

// pathsOptions makes two scenarios of a cell with params.other: half of its clients use that path.
function pathsOptions() {
  const one = cellOptions();
  const cell = one.scenarios && JSON.parse(__ENV.LAB_CELL);
  if (!cell || !cell.params.other) return one;
  const { other, ...params } = cell.params;
  const scenario = (side, path) => ({
    ...one.scenarios.cell,
    vus: cell.clients / 2,
    env: { LAB_CELL: JSON.stringify({ ...cell, ...path, params: { ...params, side } }) },
  });
  return { ...one, scenarios: { A: scenario('A', {}), B: scenario('B', other) } };
}

// pgbench --select-only
export const select = workload({ warm: 10 }, (client) => {
  client.exec('SELECT abalance FROM pgbench_accounts WHERE aid = $1', account());
});

// pgbench without options
export { tpcb } from './lib/tpcb.js';

// pgbench --connect
export const connect = workload({ keeps: false }, (client) => {
  client.exec('SELECT 1');
});

// pgbench --select-only on two paths that alternate: a client begins a transaction only in a slot of its own side.
// Slots are numbered since 1970, and params.order has the side of each, over and over. Of a transaction the share of
// its time counts that lies in the slot, lead_ms at its beginning left out.
const WARM = 10;
let warmed = 0;
let slot; // that this client is in
const slots = []; // all that it was in

const selectInSlots = workload({ warm: WARM }, (client, { params }) => {
  const warm = warmed++ < WARM;
  const began = warm ? 0 : enterSlot(params);
  client.exec('SELECT abalance FROM pgbench_accounts WHERE aid = $1', account());
  if (!warm) count(params, began, Date.now());
});

// alternate runs until the window has closed, and prints what this client did in each slot.
export function alternate() {
  selectInSlots();
  const { params } = JSON.parse(__ENV.LAB_CELL);
  const text = slots.map(({ number, all, counted }) => `${number}:${all}:${counted.toFixed(4)}`).join(';');
  console.log(`slots-${params.side}=${text}`);
}

const numberOf = (params, moment) => Math.floor(moment / params.slot_ms);
const isOwn = ({ order, side }, number) => order[number % order.length] === side;

// enterSlot waits for a slot of the client's own side, and returns when it went on.
function enterSlot(params) {
  let now = Date.now();
  if (slot && now < slot.end) return now;
  while (!isOwn(params, numberOf(params, now))) {
    sleep(((numberOf(params, now) + 1) * params.slot_ms - now) / 1000);
    now = Date.now();
  }
  makeSlot(params, numberOf(params, now));
  return now;
}

function makeSlot({ slot_ms: length, lead_ms: lead }, number) {
  slot = { number, from: number * length + lead, end: (number + 1) * length, all: 0, counted: 0 };
  slots.push(slot);
}

// count counts a transaction in the slot that it began in, and in those of the same side that follow at once.
function count(params, began, ended) {
  slot.all++;
  addShare(began, ended);
  while (ended >= slot.end && isOwn(params, slot.number + 1)) {
    makeSlot(params, slot.number + 1);
    addShare(began, ended);
  }
}

function addShare(began, ended) {
  const within = Math.min(ended, slot.end) - Math.max(began, slot.from);
  if (ended > began) slot.counted += Math.max(0, within) / (ended - began);
  else if (within >= 0) slot.counted++; // it took less than k6's clock can tell
}

export default select;
