// Numbers and words as the lab's reports write them (package figure and words.go do the same on the server).

// number has as many digits as it has meaning, thousands apart: 0.312, 5.24, 52.4, 524, 11 642.
export function number(value) {
  if (value === 0) return '0';
  const size = Math.abs(value);
  const text = value.toFixed(size < 1 ? 3 : size < 10 ? 2 : size < 100 ? 1 : 0);
  return text.includes('.') ? text : grouped(text);
}

const grouped = (text) => (text.length < 5 ? text : text.replace(/\B(?=(\d{3})+$)/g, '\u202f'));

// whole is a count, or a figure rounded to one.
export const whole = (value) => grouped(String(Math.round(value)));

// short is a time for a plate that is read from afar: it has about the same width each second.
export const short = (value) => (value >= 100 ? whole(value) : value.toFixed(value < 1 ? 2 : 1));

export const ms = (value) => (value == null ? '-' : `${number(value)} ms`);

export const clock = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;

export const count = (n, one, many = `${one}s`) => `${whole(n)} ${n === 1 ? one : many}`;

// brief leaves out why all is paused: the banner says that once for the whole page.
export const brief = (reason) => (reason.startsWith('paused') ? 'paused' : reason);

// round is what stands large on a link's plate.
export function round(link) {
  if (link.cut) return 'cut';
  if (link.off) return 'off';
  return link.measured_ms == null ? 'not measured' : `${short(link.measured_ms)} ms`;
}

export function asked(link) {
  if (!link.known) return 'asked ?';
  if (link.off) return 'no server here';
  const jitter = link.jitter_ms > 0 ? ` ±${link.jitter_ms}` : '';
  const narrow = link.down_kbps > 0 || link.up_kbps > 0 ? ', narrow' : '';
  return `asked ${link.latency_ms}${jitter} ms${narrow}`;
}

// plate is what stands small on a link's plate: without its first word where that leaves no room.
export const plate = (link) => asked(link).replace(/^asked (?=.{12})/, '');

// bandwidth says a link's limits, '' where it has none.
export function bandwidth(link) {
  const limit = (kbps, where) => (kbps > 0 ? [`${number(kbps)} KB/s to the ${where}`] : []);
  return [...limit(link.down_kbps, 'client'), ...limit(link.up_kbps, 'server')].join(', ');
}
