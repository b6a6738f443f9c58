// Pages that are read: they know when a lesson begins and ends, and have keys.
import { follow } from './events.js';
import { keys } from './keys.js';
import { lock } from './lock.js';

keys();
follow(({ state }) => lock(state));
