import assert from 'node:assert/strict';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { LivezWaits } from './livez-watch.js';
import { forgetPeak, peakMib } from './peak-memory.js';
import { idOf, type Reproduction, type Subject, type Verdict } from './reproduction.js';
import { Stand } from './stand.js';

/** Only what never ends takes so long. */
const LIMIT_MS = 120_000;
/** Longest wait for `/livez` beside anything that one client can send. */
const LIVEZ_MS = 250;
const MEMORY_MIB = 512;
const LINES_MAX = 8;

/** Where the reproductions of a subject are played, one after the other. */
export interface RangeOptions {
  readonly folder: string;
  readonly subject: Subject;
  readonly patience: number;
}

/** Plays reproductions on one process, and on another one as soon as that one was harmed. */
export class Range {
  #stand: Stand | undefined;
  #lives = 0;

  constructor(private readonly options: RangeOptions) {}

  /** Plays one; never throws for what comes of it. */
  async play(reproduction: Reproduction): Promise<Verdict> {
    const { rule, sends } = reproduction;
    const { subject } = this.options;
    const about = { id: idOf(subject, reproduction), subject: subject.name, rule, sends };
    const unready = await faultOf(async () => void (await this.#standReady()));
    if (unready !== null) return { ...about, fault: unready, ms: 0, livezMs: 0, peakMib: null };
    return { ...about, ...(await this.#measure(reproduction, await this.#standReady())) };
  }

  async #measure(reproduction: Reproduction, stand: Stand): Promise<Measured> {
    await stand.watch.span();
    const { pid = 0 } = stand.process;
    forgetPeak(pid);
    const started = performance.now();
    const fault = await faultOf(() => this.#playWithin(reproduction, stand));
    const ms = Math.round(performance.now() - started);
    const waits = stand.process.pid === undefined ? undefined : await stand.watch.span();
    const peak = peakMib(stand.process.pid ?? pid);
    const judge = (): void => this.#judge(reproduction, { stand, pid, waits, peak });
    const harm = await faultOf(async () => judge());
    if (harm !== null) await this.#throwAway();
    const livezMs = Math.round(waits?.max ?? 0);
    return { fault: both(fault, harm), ms, livezMs, peakMib: peak };
  }

  async stop(): Promise<void> {
    await this.#throwAway();
  }

  async #playWithin({ limitMs = LIMIT_MS, play }: Reproduction, stand: Stand): Promise<void> {
    const over = new AbortController();
    const { signal } = over;
    const late = delay(limitMs, 'late', { signal, ref: false }).catch(() => 'late');
    const first = await Promise.race([play(stand), late]);
    over.abort();
    assert.notEqual(first, 'late', `it goes on after ${limitMs} ms`);
  }

  /** Asserts the rules that hold for every reproduction. */
  #judge({ restarts = false }: Reproduction, after: Aftermath): void {
    const { peak, pid, stand, waits } = after;
    if (!restarts) assert.equal(stand.process.pid, pid, 'the process has ended');
    assert.ok(waits, 'the process has ended');
    const longest = stand.within(LIVEZ_MS);
    assert.ok(waits.max <= longest, `/livez waited ${Math.round(waits.max)} ms`);
    assert.equal(waits.failed, 0, `/livez failed ${waits.failed} times`);
    assert.ok((peak ?? 0) <= MEMORY_MIB, `the process took ${peak} MiB`);
  }

  async #standReady(): Promise<Stand> {
    if (this.#stand) return this.#stand;
    const { folder, patience, subject } = this.options;
    this.#lives += 1;
    const life = path.join(folder, `life-${this.#lives}`);
    this.#stand = await Stand.open({ folder: life, subject, patience });
    return this.#stand;
  }

  async #throwAway(): Promise<void> {
    const stand = this.#stand;
    this.#stand = undefined;
    await stand?.stop();
  }
}

type Measured = Pick<Verdict, 'fault' | 'livezMs' | 'ms' | 'peakMib'>;

interface Aftermath {
  readonly stand: Stand;
  /** The pid of the process at the start of the reproduction. */
  readonly pid: number;
  readonly waits: LivezWaits | undefined;
  readonly peak: number | null;
}

/** Joins the breach of a rule and the harm to the process into one text; null: neither. */
function both(fault: string | null, harm: string | null): string | null {
  return fault !== null && harm !== null ? `${fault}; ${harm}` : (fault ?? harm);
}

/** Why something did not work; null: it did. */
async function faultOf(work: () => Promise<void>): Promise<string | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (!(error instanceof Error)) return String(error);
    const lines = error.message.trim().split('\n');
    // How it begins says what was due; how it ends, the last words of a process.
    const told =
      lines.length > LINES_MAX ? [...lines.slice(0, 3), '...', ...lines.slice(-3)] : lines;
    return told.join(' ');
  }
}
