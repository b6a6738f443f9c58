// The map page: what the lab tells each second goes to the parts of the page, what is done here goes to the lab.
import { add, latest } from './history.js';
import { charting, paintCharts, toggleLog } from './charts.js';
import { choose, chooseNth, chosen, paintSwap, swap, swapKeys } from './swap.js';
import { breakNodes } from './break.js';
import { chooseOnMap, paintMap } from './map.js';
import { follow } from './events.js';
import { key, keys } from './keys.js';
import { load, paintLoad, toggleLoad } from './load.js';
import { lock } from './lock.js';
import { paintSeconds } from './seconds.js';
import { waits } from './waits.js';

let drawn; // the map as it was told last

function paint(update, first) {
  const { state } = update;
  add(update, first);
  drawn = update.map;
  document.body.classList.toggle('locked', Boolean(state.lock));
  lock(state);
  paintSwap(state);
  paintMap(drawn, chosen());
  paintLoad(state);
  paintSeconds(state, latest()?.paths);
  waits(state);
  paintCharts(state.load.state);
}

swap(() => {
  if (drawn) paintMap(drawn, chosen());
});
chooseOnMap(choose);
load();
charting();
breakNodes();
keys();
for (let n = 0; n < 10; n++) key(String((n + 1) % 10), () => chooseNth(n));
key('a', () => choose('all'));
key('s', swapKeys.slider);
key('o', swapKeys.nothing);
key('c', swapKeys.toggleCut);
key('x', swapKeys.reset);
key('p', toggleLoad);
key('y', toggleLog);
follow(paint);
