import type { CommandStep, GroupStep, LoopStep, ParallelStep, StepPlan } from './flow.js';
import {
  type Program,
  START_MS,
  CHANCE,
  errorOf,
  isRetried,
  RETRIES_MAX,
  scripted,
} from './program-spec.js';
import { retryDelay } from './retry-delay.js';

/** The time of a group is over, or a person has stopped the task. */
class CutShort {
  /** `group`: the id of its run; null: the whole task. */
  constructor(readonly group: string | null) {}
}

/** The task has ended early, or waits for a person behind a point of no return. */
class Ended {
  constructor(readonly outcome: 'succeeded' | 'terminated') {}
}

/** The end of a try whose group has no time left. */
const LATE = 'late';

/** A group on its way, the innermost last. */
interface Open {
  readonly id: string;
  readonly deadline: number;
}

/** The undos of a list of steps, in the order in which the steps ran. They run from the end. */
type Done = (() => void)[];

/** How a step or a list ended: well, or with the code of an error. */
type End = null | string;

/**
 * Says what becomes of a program by plain recursion over its steps, without states, messages or
 * documents: they run in the order of their list, each with everything in it.
 */
export class ReferenceRun {
  /** Every attempt and what it came to: `g#2/x done`, `-g#2/x gives_up`, `-x skipped`. */
  readonly log: string[] = [];
  private now = 0;
  private started = 0;
  private retries = 0;
  private readonly open: Open[] = [];
  /** Steps that are points of no return and were passed. */
  private readonly passed: string[] = [];

  constructor(private readonly program: Program) {}

  /** Runs the program and returns how the task ends; one that waits for a person is terminated. */
  run(): 'succeeded' | 'rolled_back' | 'terminated' {
    const done: Done = [];
    try {
      if (this.runList(this.program.steps, '', done) === null) return 'succeeded';
    } catch (error) {
      if (error instanceof Ended) return error.outcome;
      if (!(error instanceof CutShort)) throw error;
    }
    undoAll(done);
    return 'rolled_back';
  }

  /** Runs a list of steps and adds their undos to `done`. */
  private runList(steps: readonly StepPlan[], around: string, done: Done): End {
    for (const step of steps) {
      const end = this.runStep(step, `${around}${step.name}`, done);
      if (end !== null) this.holdBehind(holderOf(around));
      if (end !== null) return end;
    }
    return null;
  }

  /** Only what failed beside it before has it undone. */
  private pass(id: string, done: Done): void {
    this.passed.push(id);
    done.push(() => void this.passed.splice(this.passed.indexOf(id), 1));
  }

  /** Nothing goes back past a point of no return in what a step holds; null: in the task. */
  private holdBehind(holder: string | null): void {
    const isPassed = this.passed.some((id) => holder === null || id.startsWith(`${holder}#`));
    if (isPassed) throw new Ended('terminated');
  }

  /** A step that fails is undone by itself where it is forgiven, else with its list. */
  private runStep(step: StepPlan, id: string, done: Done): End {
    if (step.if === '{% no %}') return null;
    const own: Done = [];
    let end: End;
    try {
      end = this.runKind(step, id, own);
    } catch (error) {
      done.push(() => undoAll(own));
      throw error;
    }
    const clause = step.catch?.find(({ errors }) => {
      return end !== null && (errors.includes('*') || errors.includes(end));
    });
    if (end === null && step.pivot === true) this.pass(id, done);
    if (end === null || (clause === undefined && step.optional !== true)) {
      done.push(() => undoAll(own));
      return end;
    }
    undoAll(own);
    if (clause === undefined) return null;
    const failed = this.runScope(clause.steps, `${id}#catch/`, done);
    if (failed === null && step.pivot === true) this.pass(id, done);
    return step.optional === true ? null : failed;
  }

  /** A list that is undone at once where it fails. */
  private runScope(steps: readonly StepPlan[], around: string, done: Done): End {
    const own: Done = [];
    done.push(() => undoAll(own));
    const end = this.runList(steps, around, own);
    if (end !== null) undoAll(own);
    return end;
  }

  private runKind(step: StepPlan, id: string, done: Done): End {
    if (step.normal !== undefined) return this.runCommand(id, step, done);
    if (step.group !== undefined) return this.runGroup(id, step, done);
    if (step.dynamic !== undefined) {
      return this.runScope(step.dynamic.steps as never, `${id}#1/`, done);
    }
    if (step.loop !== undefined) return this.runLoop(id, step, done);
    if (step.parallel !== undefined) return this.runBranches(id, step, done);
    if (step.fail !== undefined) return step.fail.code;
    if (step.succeed !== undefined) throw new Ended('succeeded');
    if (step.rollback) done.push(() => this.undo(id));
    if (step.wait !== undefined || step.approve !== undefined) return this.runWait(id, step);
    if (step.choice === undefined) return null;
    const taken = step.choice.find(({ when }) => when === '{% yes %}');
    const steps = taken?.steps ?? step.otherwise;
    if (steps === null) return null;
    return this.runScope(steps, `${id}#${taken?.name ?? 'otherwise'}/`, done);
  }

  /** Waits for a time, or for somebody who says yes, no, or nothing. */
  private runWait(id: string, { approve, wait }: StepPlan): End {
    if (wait !== undefined && !('signal' in wait)) {
      const ms = 'for' in wait ? Number(wait.for) : Number(wait.until) - START_MS - this.now;
      // A moment that is past is over.
      this.wait(Math.max(0, ms));
      return null;
    }
    const said = scripted(this.program, `${id} 1`);
    if (said === 'done') return null;
    if (said === 'fails' && approve !== undefined) return 'REJECTED';
    const { onTimeout, timeoutMs } = (wait ?? approve) as { onTimeout: string; timeoutMs: number };
    this.wait(timeoutMs);
    return onTimeout === 'continue' ? null : 'SIGNAL_TIMEOUT';
  }

  private runCommand(id: string, { normal, rollback }: CommandStep, done: Done): End {
    let isToUndo = false;
    for (let attempt = 1; ; attempt += 1) {
      const what = `${id} ${attempt}`;
      const end = scripted(this.program, what);
      this.log.push(`${id} ${end}`);
      if (end !== 'refused' && rollback !== null && !isToUndo) {
        isToUndo = true;
        done.push(() => this.undo(id));
      }
      this.started += 1;
      const isStopped = this.started === this.program.stopAt;
      // Past a point of no return a person's rollback is refused.
      if (isStopped && this.passed.length === 0) throw new CutShort(null);
      if (end === 'done') return null;
      const code = errorOf(this.program, what);
      if (end !== 'fails' || attempt >= normal.retry.attempts) return code;
      this.wait(retryDelay(normal.retry, attempt, CHANCE));
    }
  }

  private runGroup(id: string, step: GroupStep, done: Done): End {
    const { timeoutMs } = step;
    const deadline = timeoutMs === null ? Infinity : this.now + timeoutMs;
    this.open.push({ id, deadline });
    try {
      return this.runTries({ id, step, deadline }, done);
    } finally {
      this.open.pop();
    }
  }

  /** Nothing of a try stands when the next one begins, nor when the group has failed. */
  private runTries({ deadline, id, step }: Open & { readonly step: GroupStep }, done: Done): End {
    const { forEach, retry } = step;
    const attempts = forEach === undefined ? retry.attempts : (forEach.in as string[]).length;
    for (let round = 1; ; round += 1) {
      const tried: Done = [];
      const end = this.runTry(id, () => this.runList(step.group, `${id}#${round}/`, tried), tried);
      if (end === null) {
        done.push(() => undoAll(tried));
        return null;
      }
      const wait = retryDelay(retry, round, CHANCE);
      const isLast = round >= attempts || this.now + wait >= deadline;
      if (end === LATE) return 'TIMED_OUT';
      if (isLast) return end;
      this.wait(wait);
    }
  }

  /** One try, which is undone unless it was done. */
  private runTry(id: string, run: () => End, tried: Done): End {
    try {
      const end = run();
      if (end !== null) undoAll(tried);
      return end;
    } catch (error) {
      if (error instanceof Ended) throw error;
      undoAll(tried);
      if (!(error instanceof CutShort) || error.group !== id) throw error;
      return LATE;
    }
  }

  /** All rounds are undone where one fails, or where they were not enough. */
  private runLoop(id: string, { loop }: LoopStep, done: Done): End {
    const enough = Number(/> (\d+)/.exec(JSON.stringify(loop.until))?.[1] ?? 0) + 2;
    for (let round = 1; ; round += 1) {
      let end = this.runScope(loop.steps, `${id}#${round}/`, done);
      if (end === null && round === enough) return null;
      if (end === null && round >= loop.max) {
        end = 'LOOP_LIMIT';
        this.holdBehind(id);
      }
      if (end !== null) {
        undoAll(done);
        return end;
      }
      this.wait(Number(loop.delay ?? 0));
    }
  }

  /**
   * One after the other: the first that fails ends it, or, where they wait, all others do. Then
   * those that failed are undone, and after them those that were done.
   */
  private runBranches(id: string, step: ParallelStep, done: Done): End {
    const [well, badly]: [Done, Done] = [[], []];
    done.push(
      () => undoAll(well),
      () => undoAll(badly),
    );
    let first: End = null;
    for (const { name, steps } of step.parallel) {
      const own: Done = [];
      badly.push(() => undoAll(own));
      const end = this.runBranch(() => this.runList(steps, `${id}#${name}/`, own), badly);
      if (end === null) well.push(...badly.splice(-1));
      first ??= end;
      if (first !== null && step.onBranchFailure === 'cancel') break;
    }
    if (first !== null) undoAll(done);
    return first;
  }

  /** A task that ends early has undone the branches that failed before. */
  private runBranch(run: () => End, badly: Done): End {
    try {
      return run();
    } catch (error) {
      const isEarly = error instanceof Ended && error.outcome === 'succeeded';
      if (isEarly) undoAll(badly.slice(0, -1));
      throw error;
    }
  }

  /** Time goes by, unless that of a group around it is over before. */
  private wait(ms: number): void {
    const until = this.now + ms;
    // Of several that end at one moment the outermost is the first.
    const first = this.open.reduce<Open | null>((found, each) => {
      return each.deadline < (found?.deadline ?? Infinity) ? each : found;
    }, null);
    if (ms > 0 && first !== null && first.deadline <= until) {
      this.now = Math.max(this.now, first.deadline);
      this.holdBehind(first.id);
      throw new CutShort(first.id);
    }
    this.now = until;
  }

  private undo(id: string): void {
    for (let attempt = 1; ; attempt += 1) {
      const what = `-${id} ${attempt}`;
      const end = scripted(this.program, what);
      this.log.push(`-${id} ${end}`);
      if (end === 'done') return;
      if (this.retries < RETRIES_MAX && isRetried(this.program, what)) {
        this.retries += 1;
      } else {
        this.log.push(`-${id} skipped`);
        return;
      }
    }
  }
}

/** The step whose list it is; null: of the task itself. */
function holderOf(around: string): string | null {
  return around === '' ? null : around.slice(0, around.lastIndexOf('#'));
}

function undoAll(done: Done): void {
  for (let undo = done.pop(); undo !== undefined; undo = done.pop()) undo();
}
