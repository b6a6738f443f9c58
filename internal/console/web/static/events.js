// Follows the lab: one EventSource a page, none while the page is hidden, so that a tab in the background costs
// nothing. A connection that is lost is tried again, and the page says so meanwhile.

const again = 2000; // ms between tries
const silence = 5000; // ms without an update after which a connection counts as lost: there is one each second

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

let told; // is called with each update, and with whether it is the first of a connection

function open() {
  close();
  source = new EventSource('/events');
  let first = true;
  source.onopen = () => { first = true; };
  source.onmessage = (event) => {
    heard();
    told(JSON.parse(event.data), first);
    first = false;
  };
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

export function follow(tell) {
  told = tell;
  const look = () => {
    if (document.hidden) { close(); show('still', 'paused while hidden'); } else open();
  };
  document.addEventListener('visibilitychange', look);
  addEventListener('pagehide', close); // or a page kept for the back button would hold its connection
  addEventListener('pageshow', (event) => { if (event.persisted) look(); });
  look();
}
