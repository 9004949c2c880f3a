import { failedItems } from './child-rounds.js';
import { childRequest, type ChildSource, childSource, partOfFlow } from './child-request.js';
import { type ChildrenPlan, childrenToTend } from './children.js';
import { countChildren } from './parent.js';
import { QuietCore } from './quiet-core-spec.js';
import { isFinal } from './status.js';
import type { FlowOfTask } from './task.js';

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
    if (children.way === 'back') this.turn(children);
    const isBack = children.way === 'back';
    const all = isBack ? this.turned : (this.known.get(children.run) ?? []);
    const next = all.find(({ task }) => task.outcome === null);
    if (next === undefined) this.tell(children);
    else next.step();
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
    const results = isOver ? { results: [] } : {};
    const chosen = children.isUnchosen ? { chosen: this.failedNumbers(children) } : {};
    parent.apply({ kind: 'children_counted', run, counts, ...version, ...results, ...chosen });
    const grown = childrenToTend(parent.task).find((other) => other.run === run);
    if (grown?.way !== 'forward') return;
    const source = childSource(parent.task, grown);
    for (let index = all.length; index < grown.tally.started; index += 1) this.start(source, index);
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
    const taskId = `${task.plan.taskId}/${run}/${index}`;
    const flow = tally.flow === null ? partOfFlow(source) : calledBy(this.parent);
    const request = childRequest(source, index, null);
    const own = { ...program, seed: program.seed + index + 1, stopAt: null };
    const child = new QuietCore(own, answerTo, { flow, request, taskId, family });
    this.known.set(run, [...(this.known.get(run) ?? []), child]);
  }
}

function calledBy({ program }: QuietCore): FlowOfTask {
  const nothing = { description: null, input: null, timeoutMs: null };
  return { definition: { name: 'called', ...nothing, steps: program.called ?? [] }, version: 1 };
}
