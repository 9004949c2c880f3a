import type { GroupStep, RetryPolicy, StepPlan } from './flow.js';
import { retryDelay } from './retry-delay.js';

/** What one attempt of a step comes to, or of its undoing. */
export type Scripted = 'done' | 'fails' | 'gives_up' | 'refused';

/** A task in which nothing but its own steps goes wrong, one thing at a time. */
export interface Program {
  readonly steps: readonly StepPlan[];
  /** Decides how every attempt goes. */
  readonly seed: number;
  /** How many of a hundred attempts are done. */
  readonly luck: number;
  /** The attempt during which a person asks for a rollback; null: nobody does. */
  readonly stopAt: number | null;
}

/** What jitter is drawn from. */
export const CHANCE = 0.5;

/** Rollbacks that a person tries again; those that fail after these are skipped. */
export const RETRIES_MAX = 9;

/** How an attempt goes: the same whenever it is asked. */
export function scripted({ luck, seed }: Program, what: string): Scripted {
  const drawn = hashOf(`${seed} ${what}`);
  const isBack = what.startsWith('-');
  if (drawn % 100 < (isBack ? 90 : luck)) return 'done';
  if (isBack) return 'gives_up';
  return (['fails', 'fails', 'gives_up', 'refused'] as const)[(drawn >>> 8) % 4] ?? 'fails';
}

/** Whether a person tries a failed rollback again rather than skipping it. */
export function isRetried({ seed }: Program, what: string): boolean {
  return hashOf(`${seed} person ${what}`) % 2 === 0;
}

function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const letter of text) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193);
  return (Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) ^ (hash >>> 7)) >>> 0;
}

/** The time of a group is over, or a person has stopped the task. */
class CutShort {
  /** `group`: the id of its run; null: the whole task. */
  constructor(readonly group: string | null) {}
}

/** A group on its way, the innermost last. */
interface Open {
  readonly id: string;
  readonly deadline: number;
}

/** What happened in a list of steps, which is undone from its end. */
type Done = (() => void)[];

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

  constructor(private readonly program: Program) {}

  /** What the task ends by. */
  run(): 'succeeded' | 'rolled_back' {
    const done: Done = [];
    try {
      if (this.runList(this.program.steps, '', done)) return 'succeeded';
    } catch (error) {
      if (!(error instanceof CutShort)) throw error;
    }
    undoAll(done);
    return 'rolled_back';
  }

  /** Whether all steps of a list were done; what is to be undone is in `done`. */
  private runList(steps: readonly StepPlan[], around: string, done: Done): boolean {
    return steps.every((step) => {
      const id = `${around}${step.name}`;
      return step.group === undefined
        ? this.runCommand(id, step, done)
        : this.runGroup(id, step, done);
    });
  }

  private runCommand(
    id: string,
    { normal, rollback }: Extract<StepPlan, { group?: undefined }>,
    done: Done,
  ): boolean {
    let isToUndo = false;
    for (let attempt = 1; ; attempt += 1) {
      const end = scripted(this.program, `${id} ${attempt}`);
      this.log.push(`${id} ${end}`);
      if (end !== 'refused' && rollback !== null && !isToUndo) {
        isToUndo = true;
        done.push(() => this.undo(id));
      }
      this.started += 1;
      if (this.started === this.program.stopAt) throw new CutShort(null);
      if (end === 'done') return true;
      if (end !== 'fails' || attempt >= normal.retry.attempts) return false;
      this.wait(retryDelay(normal.retry, attempt, CHANCE));
    }
  }

  private runGroup(id: string, step: GroupStep, done: Done): boolean {
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
  private runTries(
    { deadline, id, step }: Open & { readonly step: GroupStep },
    done: Done,
  ): boolean {
    for (let round = 1; ; round += 1) {
      const tried: Done = [];
      if (this.isTryDone(id, () => this.runList(step.group, `${id}#${round}/`, tried), tried)) {
        done.push(() => undoAll(tried));
        return true;
      }
      if (!this.isTriedAgain(round, step.retry, deadline)) return false;
    }
  }

  /** One try, which is undone unless it was done. */
  private isTryDone(id: string, run: () => boolean, tried: Done): boolean {
    try {
      if (run()) return true;
      undoAll(tried);
    } catch (error) {
      undoAll(tried);
      if (!(error instanceof CutShort) || error.group !== id) throw error;
    }
    return false;
  }

  private isTriedAgain(round: number, retry: RetryPolicy, deadline: number): boolean {
    const wait = retryDelay(retry, round, CHANCE);
    if (round >= retry.attempts || this.now + wait >= deadline) return false;
    this.wait(wait);
    return true;
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

function undoAll(done: Done): void {
  for (let undo = done.pop(); undo !== undefined; undo = done.pop()) undo();
}
