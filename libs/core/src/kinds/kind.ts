import type { Change } from '../change.js';
import type { KindName, StepPlan } from '../flow.js';
import type { AnswerValues, QuestionMember } from '../question.js';
import type { Turn } from '../scope.js';
import type { Task } from '../task.js';

/**
 * What the core does about the steps of one kind. Scopes that this begins or turns are followed by
 * `advance`, so that none of it calls back.
 */
export interface StepKind {
  /** What must be known before it starts. */
  readonly asks: (step: StepPlan) => readonly QuestionMember[];
  /** What it needs is there and known: it starts. */
  readonly start: (change: Change, place: number, values: AnswerValues) => void;
  /** The scope in which it lies turned back: what goes forward in it stops. */
  readonly callOff: (change: Change, place: number) => void;
  /** Everything that followed it is undone: so is it. Called while its rollback is pending. */
  readonly undo: (change: Change, place: number) => void;
  /** The moment that it waits for has come; null: it has no wait of its own. */
  readonly due: ((change: Change, place: number) => void) | null;
  /** What becomes of it as its scopes go; null: it holds no steps. */
  readonly holds: Holding | null;
}

/** What the core does about a step that holds steps. `scope`: the number of one of its scopes. */
export interface Holding {
  /** Every step of the scope is done. */
  readonly done: (change: Change, scope: number) => void;
  /** It failed, and everything that it did is undone: it may begin again. False: it does not. */
  readonly again: (change: Change, place: number, turn: Turn) => boolean;
  /** What must be known before one that is under way goes on; null: nothing, now or ever. */
  readonly asksOn: ((task: Asking, place: number) => readonly QuestionMember[] | null) | null;
  /** It is known. */
  readonly answered: ((change: Change, place: number, values: AnswerValues) => void) | null;
}

/** What a question of a step under way is told by. */
export type Asking = Pick<Task, 'plan' | 'runs' | 'scopes'>;

/** Members that say nothing about the kind of a step. */
const OF_ANY_KIND = new Set([
  'name',
  'needs',
  'if',
  'optional',
  'catch',
  'pivot',
  'locks',
  'rollback',
  'retry',
  'forEach',
  'timeoutMs',
  'otherwise',
  'onBranchFailure',
]);

/** Every kind. Those that most steps are come first. */
export const KIND_NAMES: readonly KindName[] = Object.freeze([
  'normal',
  'group',
  'choice',
  'parallel',
  'loop',
  'set',
  'wait',
  'approve',
  'succeed',
  'fail',
  'foreach',
  'flow',
  'dynamic',
]);

/** The kind of a step. Throws for one that this build does not know: it is never taken for done. */
export function kindOf(step: StepPlan): KindName {
  for (const kind of KIND_NAMES) if (step[kind] !== undefined) return kind;
  const members = Object.keys(step).filter((name) => !OF_ANY_KIND.has(name));
  throw new Error(`a step is of the unknown kind ${members.join(', ') || 'none'}`);
}
