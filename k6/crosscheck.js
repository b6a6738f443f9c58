// What scripts/crosscheck compares with pgbench: one cell, told by LAB_CELL.

import { lesson } from './lib/cell.js';

export { turn as default, handleSummary } from './lib/cell.js';

export const options = lesson(() => ({}));
