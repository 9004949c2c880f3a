import { directionOf, type StepMessage } from '#core';
import type { PollOrder, WorkItem } from './work-desk.js';

/** The parts of a message by which polls choose. */
type Asked = Pick<StepMessage, 'command' | 'module' | 'type'>;

/** The end of a poll: `items` are its worker's, `null`: nobody reads them any more. */
type Finish = (items: readonly WorkItem[] | null) => void;

/** A poll that waits for items, or for claims that are on their way for it. */
export class ParkedPoll {
  readonly items: WorkItem[] = [];
  /** Places that are taken for messages whose claims are not known so far. */
  private pending = 0;
  private isOver = false;
  private isAnswered = false;
  private readonly commands: ReadonlySet<string> | null;

  constructor(
    readonly order: PollOrder,
    private readonly finish: Finish,
  ) {
    this.commands = order.commands === undefined ? null : new Set(order.commands);
  }

  /** Places for further items. */
  get free(): number {
    return this.isOver ? 0 : this.order.max - this.items.length - this.pending;
  }

  /** Whether it asks for what a message is about. */
  fits({ command, module, type }: Asked): boolean {
    const direction = directionOf(type);
    const { directions, modules } = this.order;
    if (!modules.includes(module)) return false;
    if (directions !== undefined && !directions.includes(direction)) return false;
    return this.commands?.has(command) ?? true;
  }

  /** Takes a place for a message. */
  take(): void {
    this.pending += 1;
  }

  /**
   * The claim of a message for which a place was taken; null: there is none. False: the poll was
   * closed, so that nobody gets the item.
   */
  settle(item: WorkItem | null): boolean {
    this.pending -= 1;
    if (item !== null && !this.isAnswered) this.items.push(item);
    const isTaken = item === null || !this.isAnswered;
    const isReady = this.isOver || this.items.length > 0;
    if (isReady && this.pending === 0) this.answer();
    return isTaken;
  }

  /** Its wait is over: it answers with what it has once no claim is on its way. */
  end(): void {
    this.isOver = true;
    if (this.pending === 0) this.answer();
  }

  /** Its connection has closed: nobody reads an answer. Gives back what it had. */
  close(): readonly WorkItem[] {
    if (this.isAnswered) return [];
    this.isOver = true;
    this.isAnswered = true;
    this.finish(null);
    return this.items.splice(0);
  }

  private answer(): void {
    if (this.isAnswered) return;
    this.isOver = true;
    this.isAnswered = true;
    this.finish(this.items);
  }
}
