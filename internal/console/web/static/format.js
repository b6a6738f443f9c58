// Numbers and words of what only a browser draws.

// number has as many digits as it has meaning, thousands apart: 0.312, 5.24, 52.4, 524, 11 642.
export function number(value) {
  if (value === 0) return '0';
  const size = Math.abs(value);
  const text = value.toFixed(size < 1 ? 3 : size < 10 ? 2 : size < 100 ? 1 : 0);
  return text.includes('.') ? text : grouped(text);
}

const grouped = (text) => (text.length < 5 ? text : text.replace(/\B(?=(\d{3})+$)/g, '\u202f'));

// whole is a count, or a number rounded to one.
export const whole = (value) => grouped(String(Math.round(value)));

export const ms = (value) => (value == null ? '-' : `${number(value)} ms`);

export const clock = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;

export const count = (n, one, many = `${one}s`) => `${whole(n)} ${n === 1 ? one : many}`;

// brief leaves out why all is paused: the banner says that once for the whole page.
export const brief = (reason) => (reason.startsWith('paused') ? 'paused' : reason);

// bandwidth says a link's limits, '' where it has none.
export function bandwidth(link) {
  const limit = (kbps, where) => (kbps > 0 ? [`${number(kbps)} KB/s to the ${where}`] : []);
  return [...limit(link.down_kbps, 'client'), ...limit(link.up_kbps, 'server')].join(', ');
}
