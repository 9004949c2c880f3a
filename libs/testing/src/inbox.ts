import type { Dispatch } from '#core';
import type { DeliveryHandler, DeliveryVerdict } from '#ports';
import { within } from './deadline.js';

/** Judges a delivery; `nth` counts the inbox's deliveries from 1. */
type Judge = (dispatch: Dispatch, nth: number) => DeliveryVerdict | Promise<DeliveryVerdict>;

/** A message handler that keeps what it got and lets a test wait for it. */
export class Inbox {
  readonly received: Dispatch[] = [];
  /** Handlers that have started and not answered. */
  inHand = 0;
  mostInHand = 0;
  readonly #judge: Judge;
  #waiters: (() => void)[] = [];

  constructor(judge: Judge = () => 'ack') {
    this.#judge = judge;
  }

  /** Names of the steps of what was received, in order. */
  get steps(): string[] {
    return this.received.map(({ message }) => message.step);
  }

  readonly handler: DeliveryHandler = async (dispatch, crowd) => {
    if (crowd === 'no_place') return 'later';
    this.received.push(dispatch);
    const nth = this.received.length;
    this.inHand += 1;
    this.mostInHand = Math.max(this.mostInHand, this.inHand);
    this.#waiters = this.#waiters.filter((check) => check());
    try {
      return await this.#judge(dispatch, nth);
    } finally {
      this.inHand -= 1;
    }
  };

  /** Resolves when a message about this step has come. */
  gets(step: string): Promise<void> {
    return this.#until(`a message about step ${step}`, () => this.steps.includes(step));
  }

  /** Resolves when so many messages have come, repeated ones included. */
  counts(count: number): Promise<void> {
    return this.#until(`${count} messages`, () => this.received.length >= count);
  }

  /** Resolves when messages about so many different steps have come. */
  countsSteps(count: number): Promise<void> {
    return this.#until(`${count} steps`, () => new Set(this.steps).size >= count);
  }

  #until(what: string, holds: () => boolean): Promise<void> {
    const met = new Promise<void>((resolve) => {
      if (holds()) return resolve();
      this.#waiters.push(() => {
        if (!holds()) return true;
        resolve();
        return false;
      });
    });
    return within(what, met);
  }
}

/** A promise that a test settles itself. */
export class Gate<T = void> {
  open!: (value: T) => void;
  readonly passed: Promise<T>;

  constructor() {
    this.passed = new Promise((resolve) => {
      this.open = resolve;
    });
  }
}
