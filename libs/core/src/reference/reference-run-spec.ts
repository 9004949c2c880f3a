import type { CatchClause, CommandStep, StepOf, StepPlan } from '../flow/flow.js';
import { NO_RETRY } from '../flow/action.js';
import type { JsonObject } from '../json/json.js';
import { KIND_NAMES, type KindName } from '#kinds';
import {
  type Program,
  START_MS,
  CHANCE,
  errorOf,
  isRetried,
  RETRIES_MAX,
  scripted,
} from './program-spec.js';
import { runEach, runOne } from './reference-children-spec.js';
import type { Born, Child, Done, End, Of, Outcome, Parent } from './reference-terms-spec.js';
import { undoAll } from './reference-terms-spec.js';
import { retryDelay } from '../task/retry-delay.js';

/** The time of a group is over, or a person has stopped the task. */
class CutShort {
  /** `group`: the id of its run; null: the whole task. */
  constructor(readonly group: string | null) {}
}

/** A branch goes back before a point of no return, because one beside it has failed. */
class Stopped {
  /** `parallel`: the id of the run that holds it. */
  constructor(readonly parallel: string) {}
}

/** The task has ended early, or waits for a person behind a point of no return. */
class Ended {
  constructor(readonly outcome: 'succeeded' | 'terminated') {}
}

/** More happened than anybody compares. */
export class TooLong extends Error {}

/** Lines of the longest log that is compared; few come to as much. */
const LOG_MAX = 1_000;

/** The end of a try whose group has no time left. */
const LATE = 'late';

/** A group on its way, the innermost last. */
interface Open {
  readonly id: string;
  readonly deadline: number;
}

/** Runs a step of one kind and adds what undoes it. */
type Rule = (id: string, step: never, done: Done) => End;

/** The state that a task and all child tasks below it share. */
interface Family {
  readonly log: string[];
  /** The kinds of the steps that ran. */
  readonly kinds: Set<KindName>;
  now: number;
  started: number;
}

/** The task of a program that is nobody's child. */
const WHOLE = { given: { yes: true, no: false }, name: '' } as const;

/**
 * Says what becomes of a program by plain recursion over its steps, without states, messages or
 * documents: they run in the order of their list, each with everything in it.
 */
export class ReferenceRun implements Parent, Child {
  private readonly family: Family;
  private readonly done: Done = [];
  private retries = 0;
  private readonly open: Open[] = [];
  /** Steps of which a branch has failed, while those beside it go on. */
  private readonly lost: string[] = [];
  /** Steps that are points of no return and were passed. */
  private readonly passed: string[] = [];
  private wasTurned = false;
  /** The rule of each kind of step. */
  private readonly rules: Readonly<Record<KindName, Rule>> = {
    normal: this.runCommand.bind(this),
    group: this.runGroup.bind(this),
    choice: this.runChoice.bind(this),
    parallel: this.runBranches.bind(this),
    loop: this.runLoop.bind(this),
    set: this.runSet.bind(this),
    wait: this.runWait.bind(this),
    approve: this.runWait.bind(this),
    succeed: () => {
      throw new Ended('succeeded');
    },
    fail: (_, { fail }: Of<'fail'>) => fail.code,
    foreach: (id, step: Of<'foreach'>, done) => runEach(this, id, { step, done }),
    flow: (id, step: Of<'flow'>, done) => runOne(this, id, { step, done }),
    dynamic: this.runDynamic.bind(this),
  };

  constructor(
    readonly program: Program,
    private readonly born: Omit<Born, 'program'> = { ...WHOLE, steps: program.steps },
    private readonly parent: ReferenceRun | null = null,
  ) {
    this.family = parent?.family ?? { log: [], kinds: new Set(), now: 0, started: 0 };
  }

  /** Every attempt and what it came to: `g#2/x done`, `-g#2/x gives_up`, `-x skipped`. */
  get log(): readonly string[] {
    return this.family.log;
  }

  /** The kinds of the steps that ran. */
  get kinds(): ReadonlySet<KindName> {
    return this.family.kinds;
  }

  /** The parameters that conditions look at. */
  get given(): JsonObject {
    return this.born.given;
  }

  /** Which child task it is; empty: none. */
  get name(): string {
    return this.born.name;
  }

  /** Whether it passed a point of no return, so that nobody has it undone. */
  get isBarred(): boolean {
    return this.passed.length > 0;
  }

  bear({ program, ...born }: Born): Child {
    return new ReferenceRun(program, born, this);
  }

  /** Runs the program and returns how the task ends; one that waits for a person is terminated. */
  run(): Outcome {
    try {
      if (this.runList(this.born.steps, '', this.done) === null) return 'succeeded';
    } catch (error) {
      if (error instanceof Ended) return error.outcome;
      if (!(error instanceof CutShort)) throw error;
    }
    return this.goBack();
  }

  /** Undoes all that it did. */
  goBack(): Outcome {
    try {
      undoAll(this.done);
    } catch (error) {
      if (error instanceof Ended) return error.outcome;
      throw error;
    }
    return 'rolled_back';
  }

  /** A person has to end it: it waits for what never comes. */
  private waitForPerson(): never {
    throw new Ended('terminated');
  }

  /** A task that a person's rollback has reached starts nothing new. */
  stopIfTurned(): void {
    if (this.wasTurned) throw new CutShort(null);
  }

  /** Where a person says what becomes of the failure of a step, nothing is undone before. */
  holdFailed(step: StepPlan, id: string, code: string): void {
    if (step.optional === true || clauseFor(step, code) !== undefined) return;
    this.holdBehind(holderOf(id.slice(0, id.lastIndexOf('/') + 1)));
  }

  note(line: string): void {
    this.family.log.push(`${this.born.name}${line}`);
    if (this.family.log.length > LOG_MAX) throw new TooLong();
  }

  /** A person rolls the whole back: that reaches each child task whose parent goes back. */
  private turn(): boolean {
    const { parent } = this;
    this.wasTurned = (parent === null || parent.turn()) && !this.isBarred;
    return this.wasTurned;
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

  /** A branch that is undone anyway stops before a point of no return, unless it began with it. */
  private stopBefore(id: string): void {
    const [outermost] = this.lost;
    if (outermost === undefined || /^#\w+\/s0$/.test(id.slice(outermost.length))) return;
    throw new Stopped(outermost);
  }

  /** Only what failed beside it before has it undone. */
  private pass(id: string, done: Done): void {
    this.passed.push(id);
    done.push(() => void this.passed.splice(this.passed.indexOf(id), 1));
  }

  /** Nothing goes back past a point of no return in what a step holds; null: in the task. */
  private holdBehind(holder: string | null): void {
    const isPassed = this.passed.some((id) => holder === null || id.startsWith(`${holder}#`));
    const { onFailure = 'rollback' } = this.parent === null ? this.program : {};
    if (isPassed || (holder === null && onFailure !== 'rollback')) this.waitForPerson();
  }

  /** A step that fails is undone by itself where it is forgiven, else with its list. */
  private runStep(step: StepPlan, id: string, done: Done): End {
    if (step.pivot === true) this.stopBefore(id);
    if (this.isFalse(step.if)) return null;
    const own: Done = [];
    let end: End;
    try {
      end = this.runKind(step, id, own);
    } catch (error) {
      if (step.succeed !== undefined && step.pivot === true) this.pass(id, done);
      done.push(() => undoAll(own));
      throw error;
    }
    const clause = end === null ? undefined : clauseFor(step, end);
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

  private isFalse(condition: unknown): boolean {
    const [, name = ''] = /^\{% (\w+) %\}$/.exec(String(condition)) ?? [];
    return this.given[name] === false;
  }

  private runKind(step: StepPlan, id: string, done: Done): End {
    const kind = KIND_NAMES.find((name) => step[name] !== undefined);
    if (kind === undefined) throw new Error(`step ${id} is of no kind`);
    this.family.kinds.add(kind);
    return this.rules[kind](id, step as never, done);
  }

  private runDynamic(id: string, { dynamic }: Of<'dynamic'>, done: Done): End {
    return this.runScope(dynamic.steps as never, `${id}#1/`, done);
  }

  private runChoice(id: string, { choice, otherwise }: Of<'choice'>, done: Done): End {
    const taken = choice.find(({ when }) => !this.isFalse(when));
    const steps = taken?.steps ?? otherwise ?? null;
    if (steps === null) return null;
    return this.runScope(steps, `${id}#${taken?.name ?? 'otherwise'}/`, done);
  }

  private runSet(id: string, { rollback }: Of<'set'>, done: Done): End {
    if (rollback) done.push(() => this.undo(id));
    return null;
  }

  /** Waits for a time, or for somebody who says yes, no, or nothing. */
  private runWait(id: string, step: Of<'wait'> | Of<'approve'>, done: Done): End {
    const { approve, rollback, wait } = step;
    if (rollback) done.push(() => this.undo(id));
    if (wait !== undefined && !('signal' in wait)) {
      const ms = 'for' in wait ? Number(wait.for) : Number(wait.until) - START_MS - this.family.now;
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
      this.note(`${id} ${end}`);
      if (end !== 'refused' && rollback !== null && !isToUndo) {
        isToUndo = true;
        done.push(() => this.undo(id));
      }
      this.family.started += 1;
      // Past a point of no return a person's rollback is refused.
      if (this.family.started === this.program.stopAt && this.turn()) this.stopIfTurned();
      if (end === 'done') return null;
      const code = errorOf(this.program, what);
      if (end !== 'fails' || attempt >= normal.retry.attempts) return code;
      this.wait(retryDelay(normal.retry, attempt, CHANCE));
    }
  }

  private runGroup(id: string, step: StepOf<'group'>, done: Done): End {
    const { timeoutMs } = step;
    const deadline = timeoutMs === null ? Infinity : this.family.now + timeoutMs;
    this.open.push({ id, deadline });
    try {
      return this.runTries({ id, step, deadline }, done);
    } finally {
      this.open.pop();
    }
  }

  /** Nothing of a try stands when the next one begins, nor when the group has failed. */
  private runTries(
    { deadline, id, step }: Open & { readonly step: StepOf<'group'> },
    done: Done,
  ): End {
    const retry = 'forEach' in step.retry ? NO_RETRY : step.retry;
    const values = 'forEach' in step.retry ? (step.retry.forEach as string[]) : null;
    const attempts = values?.length ?? retry.attempts;
    for (let round = 1; ; round += 1) {
      const tried: Done = [];
      done.push(() => undoAll(tried));
      const end = this.runTry(id, () => this.runList(step.group, `${id}#${round}/`, tried), tried);
      if (end === null) return null;
      const wait = retryDelay(retry, round, CHANCE);
      const isLast = round >= attempts || this.family.now + wait >= deadline;
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
      if (error instanceof Ended || error instanceof Stopped) throw error;
      undoAll(tried);
      if (!(error instanceof CutShort) || error.group !== id) throw error;
      return LATE;
    }
  }

  /** All rounds are undone where one fails, or where they were not enough. */
  private runLoop(id: string, { loop }: StepOf<'loop'>, done: Done): End {
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
  private runBranches(id: string, step: StepOf<'parallel'>, done: Done): End {
    const [well, badly]: [Done, Done] = [[], []];
    done.push(
      () => undoAll(well),
      () => undoAll(badly),
    );
    let first: End = null;
    for (const { name, steps } of step.parallel) {
      const own: Done = [];
      badly.push(() => undoAll(own));
      const end = this.runBranch(id, () => this.runList(steps, `${id}#${name}/`, own), badly);
      if (end === null) well.push(...badly.splice(-1));
      if (end !== null && first === null) this.lost.push(id);
      first ??= end;
      if (first !== null && step.onBranchFailure === 'cancel') break;
    }
    if (first !== null) this.lost.pop();
    if (first !== null) undoAll(done);
    return first;
  }

  /** A task that ends early has undone the branches that failed before. */
  private runBranch(id: string, run: () => End, badly: Done): End {
    try {
      return run();
    } catch (error) {
      if (error instanceof Stopped && error.parallel === id) return 'CALLED_OFF';
      const isEarly = error instanceof Ended && error.outcome === 'succeeded';
      if (isEarly) undoAll(badly.slice(0, -1));
      throw error;
    }
  }

  /** Time goes by, unless that of a group around it is over before. */
  private wait(ms: number): void {
    const until = this.family.now + ms;
    // Of several that end at one moment the outermost is the first.
    const first = this.open.reduce<Open | null>((found, each) => {
      return each.deadline < (found?.deadline ?? Infinity) ? each : found;
    }, null);
    if (ms > 0 && first !== null && first.deadline <= until) {
      this.family.now = Math.max(this.family.now, first.deadline);
      this.holdBehind(first.id);
      throw new CutShort(first.id);
    }
    this.family.now = until;
  }

  private undo(id: string): void {
    for (let attempt = 1; ; attempt += 1) {
      const what = `-${id} ${attempt}`;
      const end = scripted(this.program, what);
      this.note(`-${id} ${end}`);
      if (end === 'done') return;
      if (this.retries < RETRIES_MAX && isRetried(this.program, what)) {
        this.retries += 1;
      } else {
        this.note(`-${id} skipped`);
        return;
      }
    }
  }
}

/** The step whose list it is; null: of the task itself. */
function holderOf(around: string): string | null {
  return around === '' ? null : around.slice(0, around.lastIndexOf('#'));
}

function clauseFor(step: StepPlan, code: string): CatchClause | undefined {
  return step.catch?.find(({ errors }) => errors.includes('*') || errors.includes(code));
}
