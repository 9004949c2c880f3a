import type { ActionRef } from '#core';
import type { Slots } from './slots.js';

/** An action that a decision claims, and the module in which it takes a slot. */
interface ReservedWork {
  readonly ref: ActionRef;
  readonly module: string;
  /** See `toMonotonic`, at the moment of the decision: the clock may be set before it is stored. */
  readonly shift: number;
}

/** Slots that a decision takes for what it claims, until its commit is known. */
export class Reservation {
  private works: ReservedWork[] = [];
  /** One of the works has the caller's own slot. */
  private isPassedOn = false;
  /** Module of a slot that was taken for an action that is not known so far. */
  private held: string | null = null;

  /** `own`: the module in which the caller has a slot that a follow-up may go on with. */
  constructor(
    private readonly slots: Slots,
    private own: string | null = null,
  ) {}

  /** Whether the caller's own slot is for one of the works, so that the caller has none to free. */
  get hasPassedOn(): boolean {
    return this.isPassedOn;
  }

  /** The caller has freed its own slot. */
  disown(): void {
    this.own = null;
  }

  /**
   * Takes a slot for an action; false where its module has none free, or where something waits for
   * it here that goes before this order time.
   */
  reserve(work: ReservedWork, orderAt: number): boolean {
    const { module } = work;
    const isOwn = module === this.own && !this.isPassedOn && this.slots.mayPass(module, orderAt);
    if (isOwn) this.isPassedOn = true;
    else if (!this.slots.tryTake(module, orderAt)) return false;
    this.works.push(work);
    return true;
  }

  /** Takes over a slot that the caller has taken, for an action that only the document names. */
  hold(module: string): void {
    this.held = module;
  }

  /** The slot that is held is for this action. */
  assign({ ref, shift }: Pick<ReservedWork, 'ref' | 'shift'>): void {
    if (this.held === null) return;
    this.works.push({ ref, shift, module: this.held });
    this.held = null;
  }

  /**
   * The decision was not stored, or is made again: its slots are free again. The caller keeps its
   * own one.
   */
  release(): void {
    let kept = this.isPassedOn ? this.own : null;
    this.isPassedOn = false;
    for (const { module } of this.take()) {
      if (module === kept) kept = null;
      else this.slots.release(module);
    }
    if (this.held !== null) this.slots.release(this.held);
    this.held = null;
  }

  /** The decision is stored: its works, whose slots are the caller's from now on. */
  take(): readonly ReservedWork[] {
    const { works } = this;
    if (works.length > 0) this.works = [];
    return works;
  }
}
