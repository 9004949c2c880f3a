import type { FastifyReply } from 'fastify';
import type { Clock } from '#ports';
import { listedJson } from '../tasks/task.presenter.js';
import type { Change } from './change-look.js';
import { ServerEvents } from './server-events.js';

/** Tasks that wait at most for a client that reads slowly; then it has to come again. */
const WAITING_MAX = 1_000;

/** Dependencies of a stream. */
interface ChangeStreamParts {
  readonly clock: Clock;
  /** Up to which number everything was told that fits. */
  readonly position: () => number;
  readonly fits: (change: Change) => boolean;
  /** Leaves out what the client does not see; absent: it sees everything. */
  readonly see?: (changes: readonly Change[]) => Promise<readonly Change[]>;
}

/** One client that hears of changes of tasks. */
export class ChangeStream extends ServerEvents {
  /** Changes that came while earlier ones are read, or the client reads slowly: one per task. */
  private readonly waiting = new Map<string, Change>();
  private isHeld = true;
  private wake: () => void = () => {};
  /** Changes of which it is being looked up what the client sees, and how often that is so now. */
  private looking: Promise<void> = Promise.resolve();
  private lookups = 0;

  constructor(
    reply: FastifyReply,
    private readonly parts: ChangeStreamParts,
  ) {
    super(reply, parts.clock);
  }

  /** Sends the head, so that the client knows it is heard, and from where it may go on. */
  start(from: number): void {
    this.begin(`: changes of tasks\nid: ${from}\n\n`);
  }

  /** Tells the client that its number is none of this store, as after a restored backup. */
  startOver(): void {
    this.write('event: reset\ndata: {}\n\n');
  }

  /** Changes from before it listened; resolves once the client takes more. */
  async catchUp(changes: readonly Change[]): Promise<void> {
    const { see } = this.parts;
    this.send(see === undefined ? changes : await see(changes));
    while (this.blocked && !this.ended) {
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }

  /** From now on changes are sent as they come, first those that came meanwhile. */
  release(): void {
    this.isHeld = false;
    this.flush();
  }

  /** Changes as they come. */
  show(changes: readonly Change[]): void {
    const { see } = this.parts;
    if (see === undefined) return this.take(changes);
    this.lookups += 1;
    this.looking = this.lookAfter(this.looking, () => see(changes));
    if (this.lookups > WAITING_MAX) this.breakOff();
  }

  /** Changes are told in the order in which they came. Never rejects. */
  private async lookAfter(
    before: Promise<void>,
    see: () => Promise<readonly Change[]>,
  ): Promise<void> {
    await before;
    try {
      if (!this.ended) this.take(await see());
    } catch {
      // The client comes again, and goes on after the last change that it has.
      this.breakOff();
    }
    this.lookups -= 1;
  }

  private take(changes: readonly Change[]): void {
    if (this.ended) return;
    if (!this.isHeld && !this.blocked) return this.send(changes);
    for (const change of changes.filter(this.parts.fits)) {
      this.waiting.delete(change.item.taskId);
      this.waiting.set(change.item.taskId, change);
    }
    if (this.waiting.size > WAITING_MAX) this.breakOff();
  }

  protected override closed(): void {
    this.waiting.clear();
    this.wake();
  }

  protected override drained(): void {
    this.wake();
    if (!this.isHeld) this.flush();
  }

  /** An id without data is kept by the client, and nobody is told. */
  protected override pulse(): string {
    return this.isHeld || this.lookups > 0 ? '' : `\nid: ${this.parts.position()}`;
  }

  private send(changes: readonly Change[]): void {
    const text = changes.filter(this.parts.fits).map(changeText).join('');
    if (text !== '') this.write(text);
  }

  private flush(): void {
    const waiting = [...this.waiting.values()];
    this.waiting.clear();
    this.send(waiting);
  }
}

function changeText({ at, item }: Change): string {
  return `id: ${at}\nevent: task\ndata: ${listedJson(item)}\n\n`;
}
