import { assertNever, type Outcome } from '#core';
import { type CommandFault, timeIsOver } from '#nest';
import type { Clock, CommandContext } from '#ports';

/**
 * How a step is made to go wrong. `fail_once` and `crash` strike one attempt and are off then;
 * `fail_always` and `slow` stay until somebody takes them back.
 */
export const FAULT_KINDS = ['fail_once', 'fail_always', 'slow', 'crash'] as const;

/** One of them. */
export type FaultKind = (typeof FAULT_KINDS)[number];

/** A fault in a step of a flow; it strikes as long as the switch is on. */
export interface FaultSwitch {
  readonly flow: string;
  /** Name of the step, in whatever list of the flow it stands. */
  readonly step: string;
  readonly kind: FaultKind;
  /** How long `slow` holds an attempt up before it starts, in milliseconds. */
  readonly delayMs: number;
}

/** Dependencies of the switches. */
export interface FaultSwitchParts {
  readonly clock: Clock;
  /** Takes the attempt from its executor as a crash would; resolves when it is lost. */
  readonly loseAttempt: (context: CommandContext) => Promise<void>;
}

/** Most switches that are on at a time. */
const SWITCHES_MAX = 1_000;

const SAYS = 'by a switch of the lab';

/**
 * The switches by which a person makes steps go wrong to see what becomes of it. They are kept in
 * memory: a process that starts anew has none. Only normal actions are struck, never a rollback.
 */
export class FaultSwitches {
  readonly #switches = new Map<string, FaultSwitch>();

  constructor(private readonly parts: FaultSwitchParts) {}

  /** All that are on, in the order in which they were. */
  list(): readonly FaultSwitch[] {
    return [...this.#switches.values()];
  }

  /** Switches one on, in place of the one that its step had. False: too many are on. */
  put(one: FaultSwitch): boolean {
    const key = keyOf(one);
    if (!this.#switches.has(key) && this.#switches.size >= SWITCHES_MAX) return false;
    this.#switches.set(key, one);
    return true;
  }

  /** Switches one off; whether it was on. */
  remove(one: Pick<FaultSwitch, 'flow' | 'step'>): boolean {
    return this.#switches.delete(keyOf(one));
  }

  /** The fault for an attempt; undefined: none. A switch that strikes once is off from here on. */
  faultFor(context: CommandContext): CommandFault | undefined {
    if (this.#switches.size === 0 || context.direction !== 'normal') return undefined;
    const one = this.#switches.get(keyOf(context));
    if (one === undefined) return undefined;
    switch (one.kind) {
      case 'fail_once':
        this.remove(one);
        return () => Promise.resolve(failed(`made to fail once ${SAYS}`));
      case 'fail_always':
        return () => Promise.resolve(failed(`made to fail ${SAYS}`));
      case 'slow':
        return (command) => this.#slowly(context, command, one.delayMs);
      case 'crash':
        this.remove(one);
        return () => this.#crash(context);
      default:
        return assertNever(one.kind);
    }
  }

  async #slowly(
    context: CommandContext,
    command: () => Promise<Outcome>,
    delayMs: number,
  ): Promise<Outcome> {
    const { clock } = this.parts;
    const leftMs = Math.max(0, context.attemptDeadline - clock.now());
    await clock.sleep(Math.min(delayMs, leftMs), context.signal);
    if (context.signal.aborted) {
      return { kind: 'handed_back', message: `called off while it was held up ${SAYS}` };
    }
    if (delayMs < leftMs) return command();
    return timeIsOver(context, `held up until its time was over ${SAYS}`);
  }

  /** By the time that this is told, the attempt is another's, and nobody listens. */
  async #crash(context: CommandContext): Promise<Outcome> {
    await this.parts.loseAttempt(context);
    return failed(`made to crash ${SAYS}`);
  }
}

function keyOf({ flow, step }: Pick<FaultSwitch, 'flow' | 'step'>): string {
  return JSON.stringify([flow, step]);
}

/** Retryable, as an author's own error is: the flow's retry policy is part of what is seen. */
function failed(message: string): Outcome {
  return { kind: 'failed', terminal: false, failure: 'FAILED', message };
}
