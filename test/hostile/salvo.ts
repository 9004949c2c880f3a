import { setTimeout as delay } from 'node:timers/promises';
import type { Sent } from './exchange.js';
import type { LivezWaits } from './livez-watch.js';
import { forgetPeak, peakMib } from './peak-memory.js';
import { SALVO_FLOWS, salvoRequests } from './salvo-requests.js';
import { Stand } from './stand.js';

const AT_A_TIME = 10;
const ROUNDS = 3;
const CALM_MS = 2_000;
const LARGE = 'x'.repeat(261_000);
const TASKS = 64;
const PER_BATCH = 16;
const ROUND_MS = 60_000;

/** The figures of a salvo. */
export interface SalvoFigures {
  readonly requests: number;
  readonly ms: number;
  /** `/livez` with nothing beside it, on the same machine in the same minute. */
  readonly calm: LivezWaits;
  /** `/livez` beside the salvo. */
  readonly beside: LivezWaits;
  readonly peakMib: number | null;
  /** How many requests were answered with each status; 0: not at all. */
  readonly statuses: ReadonlyMap<number, number>;
  /** The slowest request, and how long it took. */
  readonly slowest: { readonly what: string; readonly ms: number };
  /** Whether the process that was shot at is the one that stands. */
  readonly stands: boolean;
}

/** Options of a salvo. */
export interface SalvoOptions {
  readonly folder: string;
  readonly rounds?: number;
}

/** Sends the largest requests there are, ten at a time, and watches `/livez` beside them. */
export async function playSalvo({ folder, rounds = ROUNDS }: SalvoOptions): Promise<SalvoFigures> {
  const stand = await Stand.open({ folder, patience: 1, subject: { flows: SALVO_FLOWS } });
  try {
    await fill(stand);
    await stand.watch.span();
    await delay(CALM_MS);
    const calm = await stand.watch.span();
    return await shoot(stand, { calm, rounds });
  } finally {
    await stand.stop();
  }
}

async function shoot(
  stand: Stand,
  { calm, rounds }: { readonly calm: LivezWaits; readonly rounds: number },
): Promise<SalvoFigures> {
  const { pid = 0 } = stand.process;
  const salvo = Array.from({ length: rounds }, (_, round) => salvoRequests(round)).flat();
  forgetPeak(pid);
  await stand.watch.span();
  const statuses = new Map<number, number>();
  let slowest = { what: '', ms: 0 };
  const queue = [...salvo];
  const started = performance.now();
  const lane = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const { ms, status } = await answerOf(stand, next);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (ms > slowest.ms) slowest = { what: nameOf(next), ms: Math.round(ms) };
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, lane));
  const ms = Math.round(performance.now() - started);
  const stands = stand.process.pid === pid;
  const beside = await stand.watch.span();
  return {
    ...{ requests: salvo.length, ms, calm, beside, peakMib: peakMib(pid) },
    ...{ statuses, slowest, stands },
  };
}

async function answerOf(stand: Stand, sent: Sent): Promise<{ status: number; ms: number }> {
  const started = performance.now();
  const never = delay(ROUND_MS, { status: 0 }, { ref: false });
  const answer = await Promise.race([stand.send(sent).catch(() => ({ status: 0 })), never]);
  return { status: answer.status, ms: performance.now() - started };
}

async function fill(stand: Stand): Promise<void> {
  const tasks = Array.from({ length: PER_BATCH }, () => {
    return { flow: 'lab-four-steps', parameters: { text: LARGE } };
  });
  const body = JSON.stringify({ tasks });
  for (let made = 0; made < TASKS; made += PER_BATCH) {
    await stand.send({ path: '/v1/tasks:batch', body });
  }
}

function nameOf({ body, path }: Sent): string {
  return typeof body === 'string' ? `POST ${path} ${body.slice(0, 60)}...` : `GET ${path}`;
}
