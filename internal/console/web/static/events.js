// Follows the lab: one EventSource a page, none while the page is hidden, so that a tab in the background costs
// nothing. A connection that is lost is tried again, and the page says so meanwhile.

const again = 2000; // ms between tries
const silence = 5000; // ms without a tick after which a connection counts as lost: there is one each second

let source, retry, watch;

function show(is, text) {
  const sign = document.getElementById('connection');
  if (sign.dataset.is === is) return;
  sign.dataset.is = is;
  document.body.classList.toggle('stale', is === 'lost'); // what stands there is old
  sign.querySelector('.text').textContent = text;
}

const lost = () => show('lost', 'connection lost, trying again');

function heard() {
  show('live', 'live');
  clearTimeout(watch);
  watch = setTimeout(() => { close(); lost(); open(); }, silence);
}

let handlers;

function open() {
  close();
  source = new EventSource('/events');
  source.addEventListener('hello', (event) => { heard(); handlers.hello(JSON.parse(event.data)); });
  source.addEventListener('tick', (event) => { heard(); handlers.tick(JSON.parse(event.data)); });
  source.onerror = () => {
    lost();
    // A browser tries again by itself after a broken connection, but not after an answer that is an error.
    if (source.readyState === EventSource.CLOSED) retry = setTimeout(open, again);
  };
}

function close() {
  clearTimeout(retry);
  clearTimeout(watch);
  source?.close();
}

export function follow(those) {
  handlers = those;
  const look = () => {
    if (document.hidden) { close(); show('still', 'paused while hidden'); } else open();
  };
  document.addEventListener('visibilitychange', look);
  addEventListener('pagehide', close); // or a page kept for the back button would hold its connection
  addEventListener('pageshow', (event) => { if (event.persisted) look(); });
  look();
}
