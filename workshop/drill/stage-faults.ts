import type { Outcome } from '#core';
import type { CommandFault } from '#executor';
import type { CommandContext } from '#ports';
import { type Blow, strike, type TaskPaths } from '#process';
import type { ArmedFault, Arming, Awaited } from './messages.js';

/** The operations and callbacks that the faults of a stage use. */
interface StageFaultParts {
  /** Finds the paths of runs in child tasks. */
  readonly paths: TaskPaths;
  /** Ends the process at once; resolves never. */
  readonly endProcess: () => Promise<never>;
  /** Takes the attempt from the process as its end would; resolves when it is lost. */
  readonly loseAttempt: (context: CommandContext) => Promise<void>;
  /** Called with an attempt that is completed from outside. */
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

  /** Stands in for one attempt of any command. */
  faultFor(context: CommandContext): CommandFault {
    return async (command) => {
      const fault = await this.#find(context);
      if (fault === undefined) return this.#run(context, command);
      const crash = (): Promise<void> => this.#crash(context);
      return (await strike(blowOf(fault), { context, command, crash })).outcome;
    };
  }

  async #find({ attempt, direction, run, taskId }: CommandContext) {
    const { faults, flow } = this.#arming;
    if (faults.length === 0) return undefined;
    const place = await this.parts.paths.placeOf(taskId);
    if (flow !== place.flow) return undefined;
    return faults.find((fault) => {
      return (
        fault.run === `${place.path}${run}` &&
        fault.direction === direction &&
        attempt <= (fault.attempts ?? Infinity)
      );
    });
  }

  async #run(context: CommandContext, command: () => Promise<Outcome>): Promise<Outcome> {
    const outcome = await command();
    if (outcome.kind === 'completes_later') {
      const { attempt, completionToken: token, direction, run, taskId } = context;
      const step = direction === 'normal' ? context.step : null;
      const command = `${context.module}.${context.command}`;
      this.parts.onAwaited({ taskId, run, token, step, command, attempt });
    }
    return outcome;
  }

  /**
   * The first crash of a play is one. To Backstep those after it are no different if only the
   * session ends, and that takes no second.
   */
  async #crash(context: CommandContext): Promise<void> {
    await (this.#arming.hasCrashed ? this.parts.loseAttempt(context) : this.parts.endProcess());
  }
}

/** A normal action fails for good, a rollback in a way that it is tried again after. */
function blowOf({ direction, how, where }: ArmedFault): Blow {
  const isTerminal = direction === 'normal';
  return { where: where === 'after' ? 'after' : 'before', how, isTerminal, message: MESSAGE };
}
