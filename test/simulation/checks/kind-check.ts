import {
  type JournalEntry,
  type JsonValue,
  isCaught,
  type StepPlan,
  type Task,
  type Turn,
} from '#core';
import { scopeAt, stepAt, TASK } from '#core/scopes';
import type { Stored } from '../store-server.js';
import type { World } from '../world.js';
import { newEntries } from './new-entries.js';
import { staysEnded } from './ends-early.js';
import { isAbout, type Pair, pairsOf } from './pairs.js';

/** The states of a step that has begun. */
const BEGUN: ReadonlySet<string> = new Set(['running', 'waiting', 'succeeded']);

/**
 * Steps do what their kind says. Conditions of random programs name one parameter each, so that
 * their values are known without evaluating anything.
 */
export class KindCheck {
  constructor(private readonly world: World) {}

  look({ task }: Stored, before: Task | null): void {
    if (this.world.scenario.programs === null || before === null) return;
    if (task.runs === before.runs) return;
    const added = newEntries(task, before);
    const isOver = staysEnded(before, task);
    for (const pair of pairsOf(task, before)) {
      const step = pair.direction === 'normal' ? stepAt(task, pair.step) : undefined;
      if (step === undefined) continue;
      const about = added.filter((entry) => isAbout(entry, task, pair.step));
      const fault =
        conditionFault(task, step, { pair, about }) ??
        setFault(step, pair) ??
        approvalFault(task, step, { pair, about }) ??
        (isOver && hasBegun(pair) ? 'began after the task had ended early' : null);
      if (fault !== null) this.fail(task, `${step.name} ${fault}`);
    }
    this.lookAtScopes(task, before);
  }

  private lookAtScopes(task: Task, before: Task): void {
    this.lookAtTurn(task, TASK, { turned: task.turned, old: before.turned });
    for (const [number, { holder, kind, list, round, turned }] of task.scopes.entries()) {
      const old = before.scopes[number];
      this.lookAtTurn(task, number, { turned, old: old?.turned ?? null });
      if (kind !== 'case' || round === 0 || old?.round === round) continue;
      const step = stepAt(task, holder);
      const first = step?.choice?.findIndex(({ when }) => truthOf(task, when) !== false) ?? 0;
      const isKnown = step?.choice?.every(({ when }) => truthOf(task, when) !== null) === true;
      const wanted = first < 0 ? step?.choice?.length : first;
      if (!isKnown || list === wanted) continue;
      this.fail(task, `${step?.name} took case ${list}, and not ${wanted}`);
    }
  }

  /** The failure of an optional step is passed over, and nothing turns for it. */
  private lookAtTurn(
    task: Task,
    scope: number,
    { old, turned }: { readonly turned: Turn | null; readonly old: Turn | null },
  ): void {
    if (turned === null || turned === old || turned.cause === null) return;
    if (turned.why !== 'step_failed' && turned.why !== 'step_timed_out') return;
    const { step: name } = turned.cause;
    const isIt = task.runs.some((_, place) => {
      const step = stepAt(task, place);
      return step?.name === name && step.optional === true && scopeAt(task, place) === scope;
    });
    if (isIt) this.fail(task, `${name} is optional, and its failure turned its scope`);
  }

  private fail({ plan, revision }: Task, message: string): void {
    this.world.violate('I31', `${plan.taskId} r${revision}: ${message}`);
  }
}

/** A change of a step's run, and the new entries of the journal about it. */
interface Change {
  readonly pair: Pair;
  readonly about: readonly JournalEntry[];
}

/** A step runs exactly where its condition holds; only an optional one is passed over else. */
function conditionFault(task: Task, step: StepPlan, { about, pair }: Change): string | null {
  const truth = step.if === undefined ? true : truthOf(task, step.if);
  if (truth === false && BEGUN.has(pair.after.state)) return 'began, and its condition is false';
  const isPassed = about.some(({ kind }) => kind === 'passed_over');
  const isFault = isPassed && truth === true && step.optional !== true;
  return isFault ? 'was passed over, and its condition holds' : null;
}

/** A step sets the value that its flow says. */
function setFault({ set }: StepPlan, { after, before }: Pair): string | null {
  if (set === undefined || after.state !== 'succeeded' || before?.state === 'succeeded')
    return null;
  const has = JSON.stringify(after.output);
  return has === JSON.stringify(set) ? null : `set ${has}, and not ${JSON.stringify(set)}`;
}

/** A no ends no wait well. */
function approvalFault(task: Task, step: StepPlan, { about, pair }: Change): string | null {
  if (step.approve === undefined || isCaught(task, pair.step)) return null;
  const last = about.findLast(({ kind }) => kind === 'approved' || kind === 'rejected');
  const isFault = last?.kind === 'rejected' && pair.after.state === 'succeeded';
  return isFault ? `succeeded, and ${last?.actor} said no` : null;
}

/** The truth of a condition; null: it names no parameter of the task itself. */
function truthOf({ plan }: Task, template: JsonValue): boolean | null {
  const [, name = ''] = /^"\{% (\w+) %\}"$/.exec(JSON.stringify(template)) ?? [];
  const value = plan.parameters[name];
  return typeof value === 'boolean' ? value : null;
}

function hasBegun({ after, before }: Pair): boolean {
  const isNew = before === null || before.state === 'pending' || before.state === 'queued';
  return isNew && after.state === 'running' && after.startedAt !== before?.startedAt;
}
