// What scripts/crosscheck compares with pgbench: one cell, told by LAB_CELL.

import { options as cellOptions, turn } from './lib/cell.js';

export { handleSummary } from './lib/cell.js';

export const options = cellOptions({});

export default turn;
