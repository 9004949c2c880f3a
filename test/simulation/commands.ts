import type { Outcome } from '#core';
import type { CommandCatalogue, CommandContext, CommandHandler, LeaveListener } from '#ports';
import { type Course, courseOf } from './course.js';
import type { Participant } from './participant.js';
import type { SimProcess } from './sim-process.js';

/** How long an aborted command gets to answer by itself, in milliseconds; as in libs/executor. */
const ABORT_GRACE_MS = 500;

/** Receives every start of a command. */
export type StartWitness = (context: CommandContext, owner: string) => void;

/** The parts that the commands of a process work with. */
export interface CommandParts {
  readonly participant: Participant;
  readonly started: StartWitness;
  /** Receives every start that the command did not refuse. */
  readonly begins: (context: CommandContext) => void;
  /** Receives every call that reaches the participant. */
  readonly acted: (context: CommandContext) => void;
  /** Receives every outcome that a command gave. */
  readonly ended: (context: CommandContext, outcome: Outcome) => void;
}

/** The commands of one process: they take their time, fail, hang, and do not always listen. */
export class SimCommands implements CommandCatalogue {
  private readonly handler: CommandHandler;

  constructor(
    private readonly process: SimProcess,
    private readonly parts: CommandParts,
  ) {
    const plain: CommandHandler = {
      secrets: undefined,
      run: (context, onLeft) => this.run(context, onLeft),
    };
    const { mutant } = process.world;
    this.handler = mutant?.command === undefined ? plain : mutant.command(plain);
  }

  modules(): readonly string[] {
    return this.process.plan.modules;
  }

  commands(module: string): readonly string[] {
    if (!this.process.plan.modules.includes(module)) return [];
    if (module === 'monitor') return ['raise_alert'];
    return ['do', 'undo'].filter((command) => !this.process.lacks.has(`${module} ${command}`));
  }

  parametersOf(): null {
    return null;
  }

  outputOf(): null {
    return null;
  }

  find(module: string, command: string): CommandHandler | undefined {
    if (this.commands(module).includes(command)) return this.handler;
    return this.process.world.mutant?.failsUnknown === true ? UNKNOWN : undefined;
  }

  private run(context: CommandContext, onLeft?: LeaveListener): Promise<Outcome> {
    const { process } = this;
    const { world } = process;
    this.parts.started(context, process.owner);
    process.reach('start');
    const course = courseOf(world, context);
    if (course.end === 'refuses') return this.refuse(context);
    this.parts.begins(context);
    process.countWork(1);
    let isOver = false;
    const work = this.work(context, course).then(
      (outcome) => outcome,
      (error: unknown) => failed(String(error), false),
    );
    const end = (): void => {
      isOver = true;
      process.countWork(-1);
    };
    const ended = work.then(end);
    return Promise.race([work, this.interruption(context, work)]).then((outcome) => {
      this.parts.ended(context, outcome);
      process.reach('end');
      if (!isOver) onLeft?.(ended);
      return outcome;
    });
  }

  /** Parameters that do not fit are seen before the command is entered. */
  private async refuse(context: CommandContext): Promise<Outcome> {
    const failure = 'INVALID_PARAMETERS';
    const outcome = { kind: 'failed', terminal: true, failure, refused: true } as const;
    await this.process.clock.sleep(1);
    const said: Outcome = { ...outcome, message: 'does not fit' };
    this.parts.ended(context, said);
    this.process.reach('end');
    return said;
  }

  private async work(context: CommandContext, course: Course): Promise<Outcome> {
    const { clock, world } = this.process;
    const signal = course.isDeaf ? undefined : context.signal;
    const heed = (): void => {
      if (signal?.aborted === true) throw new Error('aborted');
    };
    await clock.sleep(course.beforeMs, signal);
    heed();
    if (course.end === 'looks_again') return { kind: 'not_finished', afterMs: course.effectMs };
    const mustAct = course.end === 'done' || course.hasEffect;
    if (mustAct) await this.reach(context, course.effectMs);
    await clock.sleep(course.afterMs, signal);
    heed();
    if (course.end === 'done') {
      const isLater = world.strikes('completingLater');
      if (isLater) return { kind: 'completes_later', timeoutMs: world.random.pick([null, 5_000]) };
      // The receiver of the output sees which run it is of.
      const output = { by: this.process.owner, [context.step]: context.run };
      return { kind: 'succeeded', output };
    }
    return failed('no', course.end === 'gives_up');
  }

  /** Tells the participant; what is under way arrives whatever becomes of the process. */
  private reach(context: CommandContext, ms: number): Promise<void> {
    const { process } = this;
    const { world } = process;
    return new Promise((resolve, reject) => {
      process.reach('effect');
      process.mayCrash();
      if (!process.alive) return;
      world.pending += 1;
      world.line.after(ms, () => {
        world.pending -= 1;
        if (!process.alive || process.isFrozen) world.see('effect without its process');
        this.parts.acted(context);
        try {
          this.parts.participant.act(context);
          process.later(2, resolve);
        } catch (error) {
          process.later(2, () => reject(error));
        }
      });
    });
  }

  /** The outcome of a command that has not answered when it had to. */
  private interruption(context: CommandContext, work: Promise<unknown>): Promise<Outcome> {
    const { clock } = this.process;
    const { attemptDeadline, deadline, signal } = context;
    return new Promise((resolve) => {
      const isAll = attemptDeadline >= deadline;
      const timer = clock.after(context.timeLeft(), () => {
        resolve(isAll ? { kind: 'timed_out', message: 'no result' } : failed('no result', false));
      });
      const unheeded = (): void =>
        resolve({ kind: 'handed_back', message: 'does not heed its signal' });
      signal.addEventListener('abort', () => void clock.after(ABORT_GRACE_MS, unheeded));
      void work.then(() => timer.cancel());
    });
  }
}

/** The handler of a mutant that fails a message instead of leaving it to another build. */
const UNKNOWN: CommandHandler = {
  secrets: undefined,
  run: () =>
    Promise.resolve({ kind: 'failed', terminal: true, failure: 'UNKNOWN_COMMAND', message: 'no' }),
};

function failed(message: string, terminal: boolean): Outcome {
  return { kind: 'failed', terminal, failure: 'FAILED', message };
}
