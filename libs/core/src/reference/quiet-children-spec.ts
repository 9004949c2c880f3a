import { failedItems } from '../children/child-rounds.js';
import {
  childRequest,
  type ChildSource,
  childSource,
  partOfFlow,
} from '../children/child-request.js';
import { type ChildrenPlan, childrenToTend } from '../children/children.js';
import type { JsonValue } from '../json/json.js';
import { type ChildResult, countChildren } from '../task/parent.js';
import { childOf } from './program-spec.js';
import { CHILD_MARK, QuietCore } from './quiet-core-spec.js';
import { runIdOf } from '../scopes/run-id.js';
import { isFinal, statusName } from '../task/status.js';
import type { FlowOfTask } from '../task/task.js';

const PARENT = { actor: 'task t', reason: 'it goes back', key: null } as const;

/**
 * Plays the child tasks of a task, one thing after the other, as the engine looks after them: so
 * many at a time, and back those under way first, then the others from the highest index down.
 */
export class QuietChildren {
  /** By `run` of their `parent`, in the order of their indexes. */
  private readonly known = new Map<string, QuietCore[]>();
  /** Those that their parent had go back, in that order. */
  private readonly turned: QuietCore[] = [];

  constructor(private readonly parent: QuietCore) {}

  /** The child tasks of a step, in the order in which they go back. */
  inOrder(run: string): readonly QuietCore[] {
    const all = (this.known.get(run) ?? []).toReversed();
    const live = all.filter(({ task }) => !isFinal(task.status));
    return [...live, ...all.filter(({ task }) => task.outcome === 'succeeded')];
  }

  /** Does one thing for the child tasks of a step. */
  tend(children: ChildrenPlan): void {
    const isBack = children.way === 'back';
    if (isBack) this.turn(children);
    const all = isBack ? this.turned : (this.known.get(children.run) ?? []);
    const next = all.find(({ task }) => task.outcome === null);
    if (next !== undefined) return next.step();
    this.tell(children);
  }

  /** Tells the child tasks that go back with their parent, and those below them. */
  turnAll(): void {
    for (const children of childrenToTend(this.parent.task)) {
      if (children.way === 'back') this.turn(children);
      for (const child of this.known.get(children.run) ?? []) child.children.turnAll();
    }
  }

  private turn({ concurrency, run }: ChildrenPlan): void {
    const all = this.inOrder(run);
    const live = all.filter(({ task }) => task.outcome === null);
    const done = all.slice(live.length, Math.max(live.length, concurrency));
    for (const child of live.filter(({ task }) => task.way === 'forward')) {
      child.apply({ kind: 'rollback_requested', ...PARENT });
    }
    for (const child of done) child.apply({ kind: 'undo_requested', isByParent: true, ...PARENT });
    const turned = [...live, ...done].filter((child) => !this.turned.includes(child));
    this.turned.push(...turned);
  }

  private tell(children: ChildrenPlan): void {
    const { run, tally } = children;
    const { parent } = this;
    const all = this.known.get(run) ?? [];
    const counts = countChildren(all.map(({ task }) => [task.status, 1] as const));
    const version = tally.flow === null ? {} : { version: 1 };
    const isOver = tally.started === tally.total && counts.active === 0;
    const results = isOver ? { results: all.map(resultOf) } : {};
    const chosen = children.isUnchosen ? { chosen: this.failedNumbers(children) } : {};
    parent.apply({ kind: 'children_counted', run, counts, ...version, ...results, ...chosen });
    if (children.way === 'forward') this.noteOutput(children);
    const grown = childrenToTend(parent.task).find((other) => other.run === run);
    if (grown?.way !== 'forward') return;
    const source = childSource(parent.task, grown);
    for (let index = all.length; index < grown.tally.started; index += 1) this.start(source, index);
  }

  private noteOutput({ holder }: ChildrenPlan): void {
    const { output, state } = this.parent.task.runs[holder]?.normal ?? {};
    if (state !== 'succeeded' || output === null || output === undefined) return;
    const { results = [output] } = output as { results?: readonly JsonValue[] };
    const statuses = results.map((result) => (result as { status: string }).status);
    this.parent.note(`${runIdOf(this.parent.task, holder)} gave ${statuses.join(', ')}`);
  }

  private failedNumbers({ earlier }: ChildrenPlan): readonly number[] {
    const rounds = earlier.map((round) => {
      const all = Array.from((this.known.get(round.run) ?? []).entries());
      const failed = all.filter(([, { task }]) => task.outcome !== 'succeeded');
      return { round, failed: failed.map(([index]) => index) };
    });
    return failedItems(rounds);
  }

  private start(source: ChildSource, index: number): void {
    const { answerTo, family, program, task } = this.parent;
    const { run, tally } = source.children;
    const name = `${run}/${index}`;
    const taskId = `${task.plan.taskId}${CHILD_MARK}${name}`;
    const flow = tally.flow === null ? partOfFlow(source) : calledBy(this.parent);
    const request = childRequest(source, index, null);
    const child = new QuietCore(childOf(program, name), answerTo, {
      flow,
      request,
      taskId,
      family,
    });
    this.known.set(run, [...(this.known.get(run) ?? []), child]);
  }
}

function resultOf({ task }: QuietCore, index: number): ChildResult {
  const { message, plan } = task;
  const status = statusName(task.status);
  const why = status === 'succeeded' ? null : message;
  return { index, taskId: plan.taskId, status, output: null, message: why };
}

function calledBy({ program }: QuietCore): FlowOfTask {
  const nothing = { description: null, input: null, timeoutMs: null };
  return { definition: { name: 'called', ...nothing, steps: program.called ?? [] }, version: 1 };
}
