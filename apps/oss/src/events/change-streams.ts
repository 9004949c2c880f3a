import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isLimited, type Principal } from '#access';
import { principalOf } from '#http-server';
import type { ChangeMark, Clock } from '#ports';
import { asSeen } from '../access/hidden-tasks.js';
import { OpenRequests } from '../access/open-requests.js';
import { RequestWork } from '../access/request-work.js';
import { type CommonParts, OSS_OPTIONS } from '../options.js';
import { listedJson } from '../tasks/task.presenter.js';
import { ChangeFeed } from './change-feed.js';
import { type Change, readChanges } from './change-look.js';
import { OpenStreams } from './open-streams.js';
import { ServerEvents } from './server-events.js';
import { fitsInterest, type TaskInterest } from './task-match.js';

/** Changes that are read at a time for a client that was away. */
const PAGE = 200;

/** The order for a stream: its tasks, its start and its client. */
interface ChangeOrder {
  readonly interest: TaskInterest;
  /** Number of the last change the client has; null: the stream begins with the next change. */
  readonly after: number | null;
  /** The request that is answered. */
  readonly request: FastifyRequest;
}

/** Changes that a client asked for at once. */
interface ChangePage {
  readonly changes: readonly Change[];
  /** From where it goes on. */
  readonly last: number;
}

/** The changes that a page is to have. */
interface ChangeSearch {
  readonly after: number;
  /** The number of the newest change. */
  readonly newest: number;
  readonly fits: (change: Change) => boolean;
  readonly principal: Principal;
  /** Once it is aborted, no more are read. */
  readonly signal: AbortSignal;
}

/** The changes that a client has missed: those after one number, up to another. */
interface Missed {
  readonly after: number;
  readonly position: number;
  readonly request: FastifyRequest;
}

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

/** Answers with changes of tasks as they come. */
@Injectable()
export class ChangeStreams {
  constructor(
    @Inject(OSS_OPTIONS) private readonly options: CommonParts,
    private readonly feed: ChangeFeed,
    private readonly streams: OpenStreams,
    private readonly openRequests: OpenRequests,
    private readonly work: RequestWork,
  ) {}

  /** Answers with a stream that ends when the client, the key or this process does. */
  async open({ after, interest, request }: ChangeOrder, reply: FastifyReply): Promise<void> {
    const leave = this.openRequests.enter(request, 'changeStreams');
    const { clock } = this.options;
    const principal = principalOf(request);
    const fits = this.judge(interest);
    const position = (): number => this.feed.position;
    const see = isLimited(principal)
      ? (changes: readonly Change[]) => this.seen(changes, principal)
      : undefined;
    const stream = new ChangeStream(reply, { clock, position, fits, ...(see && { see }) });
    let stopListening = (): void => {};
    this.streams.keep(stream, reply, () => {
      leave();
      stopListening();
    });
    try {
      stopListening = await this.feed.listen((changes) => stream.show(changes));
    } catch (error) {
      if (!stream.ended) stream.onEnd();
      stream.ended = true;
      throw error;
    }
    // It may have ended before there was anything to stop.
    if (stream.ended) return stopListening();
    reply.hijack();
    await this.lead(stream, after, request);
  }

  /**
   * One page of changes after the one that the client has, for those that ask now and then. It
   * looks back only as far as changes come into sight late nearly always.
   */
  async page({ after, interest, request }: ChangeOrder): Promise<ChangePage> {
    const newest = await this.options.changes.newest();
    if (after === null) return { changes: [], last: newest };
    const principal = principalOf(request);
    const search = { after, fits: this.judge(interest), newest, principal };
    return this.work.run(request, 'read', (signal) => this.read({ ...search, signal }));
  }

  private async read({
    after,
    fits,
    newest,
    principal,
    signal,
  }: ChangeSearch): Promise<ChangePage> {
    const { changes } = this.options;
    const from = Math.min(after, newest) - changes.overlap.near;
    const found: Change[] = [];
    let marks: readonly ChangeMark[];
    let last: ChangeMark | undefined;
    do {
      marks = await changes.find({ from: Math.max(0, from), after: last, limit: PAGE });
      const fresh = changes.overlap.far === 0 ? marks.filter(({ at }) => at > after) : marks;
      const seen = await this.seen(await readChanges(changes, fresh), principal);
      found.push(...seen.filter(fits));
      last = marks.at(-1) ?? last;
      if (signal.aborted) break;
    } while (marks.length === PAGE && last !== undefined && last.at <= after);
    return { changes: found, last: Math.max(Math.min(after, newest), last?.at ?? 0) };
  }

  private judge(interest: TaskInterest): (change: Change) => boolean {
    const { clock } = this.options;
    return ({ item }) => fitsInterest(item, interest, clock.now());
  }

  /** The changes that the caller sees, as a list shows them to him. */
  private async seen(changes: readonly Change[], principal: Principal): Promise<readonly Change[]> {
    const items = await asSeen(
      changes.map(({ item }) => item),
      principal,
      this.options,
    );
    const byId = new Map(items.map((item) => [item.taskId, item]));
    return changes.flatMap(({ at, item: { taskId } }) => {
      const item = byId.get(taskId);
      return item === undefined ? [] : [{ at, item }];
    });
  }

  /** Tells the client first what it missed: up to where the feed was when it began to listen. */
  private async lead(
    stream: ChangeStream,
    after: number | null,
    request: FastifyRequest,
  ): Promise<void> {
    const { position } = this.feed;
    const { far } = this.options.changes.overlap;
    const isForeign = after !== null && after > position + far;
    stream.start(after === null || isForeign ? position : after);
    if (isForeign) stream.startOver();
    try {
      if (after !== null && !isForeign) {
        await this.catchUp(stream, { after, position, request });
      }
      stream.release();
    } catch {
      // The client comes again and goes on after the last change that it has.
      stream.end();
    }
  }

  private async catchUp(stream: ChangeStream, { after, position, request }: Missed): Promise<void> {
    const { changes } = this.options;
    const from = this.firstAfter(after, position);
    let last: ChangeMark | undefined;
    while (!stream.ended) {
      const page = { from, after: last, limit: PAGE };
      // A client that reads slowly has no turn while its stream waits for it.
      const [missed, told] = await this.work.run(request, 'read', async () => {
        const marks = await changes.find(page);
        // Newer changes come by the feed.
        const before = marks.filter(({ at }) => at <= position);
        return [before, await readChanges(changes, before)] as const;
      });
      await stream.catchUp(told);
      if (missed.length < PAGE) return;
      last = missed.at(-1);
    }
  }

  /** Where a person has to read on who has everything up to a number. */
  private firstAfter(after: number, newest: number): number {
    const { far } = this.options.changes.overlap;
    return far === 0 ? after + 1 : Math.min(after, newest) - far;
  }
}

/** One client that hears of changes of tasks. */
class ChangeStream extends ServerEvents {
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
