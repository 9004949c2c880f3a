import {
  type AttemptOutput,
  type AttemptPlace,
  type Clock,
  type Observer,
  OUTPUT,
  outputPrefix,
  type OutputLine,
  PROGRESS,
  type Progress,
  progressId,
  recordsOf,
  type RecordStore,
  type Timer,
} from '#ports';
import { plainLines, sizeOf } from './plain-lines.js';
import { ATTEMPT_BYTES_MAX, newLine, type NewLine, StoredOutput } from './stored-output.js';

/** From one write of an attempt's output to the next, in milliseconds. */
const INTERVAL_MS = 1_000;

/** An attempt that was silent for so long is forgotten, in milliseconds; the store knows it. */
const IDLE_MS = 30_000;

/** Attempts whose output waits to be stored at a time; the lines of further ones are dropped. */
const ATTEMPTS_MAX = 2_000;

/** The parts of a keeper. */
interface KeeperParts {
  readonly records: RecordStore;
  /** The time of tasks. */
  readonly clock: Clock;
  readonly observer: Pick<Observer, 'noticed'>;
}

/**
 * Keeps the output and the progress of the attempts of this process, and of those that tell it by
 * request. Writes once a second while there is something to write, and at the end of an attempt.
 */
export class OutputKeeper implements AttemptOutput {
  private readonly kept = new Map<string, KeptAttempt>();
  private timer: Timer | null = null;
  private isFailing = false;

  constructor(private readonly parts: KeeperParts) {}

  append(attempt: AttemptPlace, lines: readonly OutputLine[], dropped = 0): boolean {
    const kept = this.find(attempt);
    if (kept === null) return true;
    kept.append(lines, dropped);
    return kept.isTruncated;
  }

  progress(attempt: AttemptPlace, { message, ...rest }: Progress): void {
    const words = message === undefined ? undefined : plainLines(message).join(' ');
    this.find(attempt)?.advance({ ...rest, message: words });
  }

  end(attempt: AttemptPlace): void {
    const kept = this.kept.get(outputPrefix(attempt));
    if (kept === undefined) return;
    kept.isOver = true;
    void this.write([kept]);
  }

  /** Stores what is left. Never rejects: where the store does not answer, it is lost. */
  async stop(): Promise<void> {
    this.timer?.cancel();
    await this.write([...this.kept.values()]);
    this.timer?.cancel();
  }

  /** One round: resolves when what waited for it is stored, or was tried. Never rejects. */
  async tick(): Promise<void> {
    this.timer = null;
    const { now } = this;
    for (const [key, { isStored, usedAt }] of this.kept) {
      if (isStored && now - usedAt >= IDLE_MS) this.kept.delete(key);
    }
    await this.write([...this.kept.values()]);
  }

  private get now(): number {
    return this.parts.clock.monotonic();
  }

  /** Null: there are too many already. */
  private find(attempt: AttemptPlace): KeptAttempt | null {
    const key = outputPrefix(attempt);
    let kept = this.kept.get(key);
    if (kept === undefined) {
      if (this.kept.size >= ATTEMPTS_MAX) return null;
      const { clock, records } = this.parts;
      kept = new KeptAttempt(attempt, records, () => clock.now());
      this.kept.set(key, kept);
    }
    kept.usedAt = this.now;
    this.arm();
    return kept;
  }

  private arm(): void {
    this.timer ??= this.parts.clock.after(INTERVAL_MS, () => void this.tick());
  }

  private async write(all: readonly KeptAttempt[]): Promise<void> {
    try {
      await Promise.all(all.map((kept) => kept.write()));
      this.isFailing = false;
    } catch (error) {
      this.tell(error);
    }
    for (const kept of all) {
      if (kept.isOver && kept.isStored) this.kept.delete(kept.key);
    }
    if (this.kept.size > 0) this.arm();
  }

  private tell(error: unknown): void {
    if (this.isFailing) return;
    this.isFailing = true;
    const message = 'the output of attempts could not be stored; the next round tries again';
    this.parts.observer.noticed({ level: 'warn', name: 'output_failed', message, error });
  }
}

/** The output of one attempt that is not stored yet. */
class KeptAttempt {
  readonly key: string;
  /** By the monotonic clock. */
  usedAt = 0;
  /** Its attempt has ended. Lines that come all the same are stored by the next round. */
  isOver = false;
  private readonly stored: StoredOutput;
  /** The lines of the write that is made now; those after it wait. */
  private underWay: NewLine[] = [];
  private waiting: NewLine[] = [];
  private waitingBytes = 0;
  /** Lines that are missing before the next one. */
  private gap = 0;
  private hasDropped = false;
  /** Null: what was said last is stored. */
  private news: Progress | null = null;
  private hasProgress = false;
  private writing: Promise<void> | null = null;

  constructor(
    private readonly attempt: AttemptPlace,
    private readonly records: RecordStore,
    private readonly now: () => number,
  ) {
    this.key = outputPrefix(attempt);
    this.stored = new StoredOutput(recordsOf(records, OUTPUT), attempt, now);
  }

  get isTruncated(): boolean {
    return this.hasDropped || this.stored.isTruncated;
  }

  /** Nothing waits to be stored. */
  get isStored(): boolean {
    const hasLines = this.waiting.length > 0 || this.underWay.length > 0;
    return !hasLines && this.news === null && !(this.isOver && this.hasProgress);
  }

  append(lines: readonly OutputLine[], dropped: number): void {
    this.gap += dropped;
    if (dropped > 0) this.hasDropped = true;
    for (const { at, level = null, message } of lines) {
      if (sizeOf(message) > ATTEMPT_BYTES_MAX) this.hasDropped = true;
      for (const text of plainLines(message)) this.push({ at, level, message: text });
    }
    this.drop();
  }

  advance(progress: Progress): void {
    if (!this.isOver) this.news = progress;
  }

  /** Writes one after the other. Throws `StoreUnavailable`; what was not stored stays. */
  async write(): Promise<void> {
    while (this.writing !== null) await this.writing.catch(() => undefined);
    if (this.isStored) return;
    this.writing = this.writeAll();
    try {
      await this.writing;
    } finally {
      this.writing = null;
    }
  }

  private async writeAll(): Promise<void> {
    // Those of a write that failed come first.
    await this.writeLines();
    this.underWay = this.waiting;
    this.waiting = [];
    this.waitingBytes = 0;
    await this.writeLines();
    await this.writeProgress();
  }

  private async writeLines(): Promise<void> {
    while (this.underWay.length > 0) {
      const count = await this.stored.add(this.underWay);
      this.underWay.splice(0, count);
    }
  }

  private async writeProgress(): Promise<void> {
    const progresses = recordsOf(this.records, PROGRESS);
    const { isOver, news } = this;
    if (news !== null && !isOver) {
      const { message = null, percent = null, state = null } = news;
      this.hasProgress = true;
      const told = { at: this.now(), state, percent, message };
      await progresses.put({ ...this.attempt, ...told }, 'any');
    }
    if (isOver && this.hasProgress) {
      await progresses.remove(progressId(this.attempt), 'any');
      this.hasProgress = false;
    }
    if (this.news === news) this.news = null;
  }

  private push(line: Omit<NewLine, 'gap' | 'size'>): void {
    const waiting = newLine(line, this.gap);
    this.gap = 0;
    this.waiting.push(waiting);
    this.waitingBytes += waiting.size;
  }

  /** The oldest lines go while they are more than is kept of an attempt. */
  private drop(): void {
    let count = 0;
    let gap = 0;
    while (this.waitingBytes > ATTEMPT_BYTES_MAX) {
      const oldest = this.waiting[count] as NewLine;
      this.waitingBytes -= oldest.size;
      gap += oldest.gap + 1;
      count += 1;
    }
    if (count === 0) return;
    this.hasDropped = true;
    const [next, ...rest] = this.waiting.slice(count);
    this.waiting = next === undefined ? [] : [{ ...next, gap: next.gap + gap }, ...rest];
  }
}
