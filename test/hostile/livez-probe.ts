/**
 * Asks `/livez` every ten milliseconds, in a process of its own: it measures the other side's loop,
 * never that of the program which sends the load. Each message makes it answer with the figures
 * since the last answer.
 */
import { Agent, get } from 'node:http';
import { PROBE_EVERY_MS, type ProbeReport } from './livez-watch.js';

const url = `${process.argv[2]}/livez`;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
let waits: number[] = [];
let failed = 0;
let askedAt: number | null = null;

setInterval(ask, PROBE_EVERY_MS);
process.on('message', tell);
process.on('disconnect', () => process.exit());

function ask(): void {
  if (askedAt !== null) return;
  const asked = performance.now();
  askedAt = asked;
  send(asked);
}

/**
 * A connection may be closed while it lies idle, which a request can meet: as every client of HTTP
 * does, it asks once more over another one.
 */
function send(asked: number): void {
  const sent = get(url, { agent }, (answer) => {
    answer.resume();
    answer.on('end', () => settle(asked, answer.statusCode === 200));
    answer.on('error', () => settle(asked, false));
  });
  sent.on('error', () => (sent.reusedSocket ? send(asked) : settle(asked, false)));
}

function settle(asked: number, isGood: boolean): void {
  if (askedAt !== asked) return;
  askedAt = null;
  if (isGood) record(performance.now() - asked);
  else failed += 1;
}

/** Those who would have asked meanwhile would have waited as well, each a little less. */
function record(wait: number): void {
  for (let left = wait; left > 0; left -= PROBE_EVERY_MS) waits.push(left);
}

function tell(): void {
  // A probe that waits still has waited so long at least.
  if (askedAt !== null && performance.now() - askedAt > 1_000) record(performance.now() - askedAt);
  const report: ProbeReport = { waits, failed };
  waits = [];
  failed = 0;
  process.send?.(report);
}
