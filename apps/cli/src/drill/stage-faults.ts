import type { Outcome } from '#core';
import { type CommandFault, timeIsOver } from '#executor';
import type { CommandContext } from '#ports';
import type { ArmedFault, Arming, Awaited } from './messages.js';

/** The operations and callbacks that the faults of a stage use. */
interface StageFaultParts {
  /** Ends the process at once; resolves never. */
  readonly endProcess: () => Promise<never>;
  /** Takes the attempt from the process as its end would; resolves when it is lost. */
  readonly loseAttempt: (context: CommandContext) => Promise<void>;
  /** Called with an attempt that is left to somebody outside. */
  readonly onAwaited: (awaited: Awaited) => void;
}

const MESSAGE = 'made to fail by the drill';

/** Lets attempts of one flow go wrong before or after their real commands, as a drill wants. */
export class StageFaults {
  #arming: Arming;

  constructor(
    arming: Arming,
    private readonly parts: StageFaultParts,
  ) {
    this.#arming = arming;
  }

  /** From now on these faults, and no others. */
  arm(arming: Arming): void {
    this.#arming = arming;
  }

  /** The fault of an attempt; it runs the command as it is where no fault is armed. */
  faultFor(context: CommandContext): CommandFault {
    const fault = this.#find(context);
    if (fault === undefined) return (command) => this.#run(context, command);
    return async (command) => {
      if (fault.where === 'after') {
        const outcome = await command();
        // It has not done its work yet, or has failed by itself.
        if (outcome.kind === 'not_finished' || outcome.kind === 'failed') return outcome;
      }
      return fault.how === 'crash' ? this.#crash(context) : struck(fault.how, context);
    };
  }

  #find({ attempt, direction, flow, run }: CommandContext): ArmedFault | undefined {
    if (flow !== this.#arming.flow) return undefined;
    return this.#arming.faults.find((fault) => {
      return (
        fault.run === run &&
        fault.direction === direction &&
        attempt <= (fault.attempts ?? Infinity)
      );
    });
  }

  async #run(context: CommandContext, command: () => Promise<Outcome>): Promise<Outcome> {
    const outcome = await command();
    if (outcome.kind === 'completes_later') {
      const { completionToken: token, run, taskId } = context;
      this.parts.onAwaited({ taskId, run, token });
    }
    return outcome;
  }

  /**
   * The first crash of a play is one. To Backstep those after it are no different if only the
   * session ends, and that takes no second.
   */
  async #crash(context: CommandContext): Promise<Outcome> {
    if (!this.#arming.hasCrashed) return this.parts.endProcess();
    await this.parts.loseAttempt(context);
    return { kind: 'failed', terminal: false, failure: 'FAILED', message: MESSAGE };
  }
}

/** A normal action fails for good, a rollback in a way that it is tried again after. */
function struck(how: 'error' | 'time-out', context: CommandContext): Outcome {
  const isNormal = context.direction === 'normal';
  if (how === 'error') {
    return { kind: 'failed', terminal: isNormal, failure: 'FAILED', message: MESSAGE };
  }
  return isNormal ? { kind: 'timed_out', message: MESSAGE } : timeIsOver(context, MESSAGE);
}
