import {
  FAILED_CHILD,
  LIVE_STATUSES,
  type StepPlan,
  type Task,
  TASK_STATUS,
  type TaskStatus,
} from '#core';
import { childRunsOf, heldAsWritten } from '#core/children';
import { isParentStep } from '#core/flow';
import type { PersonsEvent } from '#engine';
import {
  type ApprovalRule,
  type ChildQuery,
  type ChildrenOf,
  type FoundChild,
  TaskUnreadable,
} from '#ports';
import type { OssOptions } from '../options.js';
import { ruleFor } from './consent.js';

/** Look-ups at most, before a rule is taken to fit. */
const READS_MAX = 1_000;

/** Child tasks that are read at a time. */
const PAGE_MAX = 50;

/** Stands in place of a child task that the store cannot read. */
const UNREADABLE = 'unreadable';

/** An action on a task; `event` absent: another task like it is started. */
interface Reaching {
  readonly action: string;
  readonly task: Task;
  readonly event?: PersonsEvent;
}

/** The action that child tasks of some statuses meet with. */
interface Effect {
  readonly action: string;
  readonly statuses: readonly TaskStatus[];
}

const LIVE: readonly TaskStatus[] = LIVE_STATUSES;
const DONE: readonly TaskStatus[] = [TASK_STATUS.succeeded];
const ANY: readonly TaskStatus[] = [...LIVE, ...DONE, ...FAILED_CHILD];

/** The effects of an action on the child tasks below a task. */
function effectsOf({ action, event }: Reaching): readonly Effect[] {
  const undo = { action: 'undo', statuses: DONE };
  const rollback = { action: 'rollback', statuses: LIVE };
  switch (action) {
    case 'rollback':
    case 'undo':
      return [rollback, undo];
    case 'reset':
      return [{ action, statuses: ANY }, rollback, undo];
    case 'retry': {
      const isWhole = event?.kind === 'retry_requested' && event.children === 'all';
      return [{ action, statuses: ANY }, ...(isWhole ? [undo] : [])];
    }
    case 'complete':
    case 'delete':
      return [];
    case 'restart':
      return [{ action, statuses: ANY }];
    default:
      return [{ action, statuses: LIVE }];
  }
}

type Sources = Pick<OssOptions, 'approvals' | 'children' | 'store'>;

/**
 * The rule by which an action on a task needs two because of what it does to child tasks, at any
 * depth; undefined: there is none. It stops at the first that fits. A family that more than a
 * thousand look-ups do not go through is taken to have one. Throws `StoreUnavailable`.
 */
export async function ruleForFamily(
  sources: Sources,
  reaching: Reaching,
): Promise<ApprovalRule | undefined> {
  const effects = effectsOf(reaching);
  const about = sources.approvals.find(({ actions }) => {
    return effects.some(({ action }) => actions.some((known) => known === action));
  });
  if (about === undefined) return undefined;
  return new FamilyLook(sources, effects, about).below(reaching.task);
}

/** Looks for a rule that fits a task below another one. */
class FamilyLook {
  private reads = 0;
  private readonly reached: readonly TaskStatus[];

  constructor(
    private readonly sources: Sources,
    private readonly effects: readonly Effect[],
    /** The rule that is taken to fit where there are too many tasks. */
    private readonly about: ApprovalRule,
  ) {
    this.reached = [...new Set(effects.flatMap(({ statuses }) => statuses))];
  }

  async below(task: Task): Promise<ApprovalRule | undefined> {
    for (const run of childRunsOf(task)) {
      const rule = await this.among({ taskId: task.plan.taskId, run });
      if (rule !== undefined) return rule;
    }
    return undefined;
  }

  /** All child tasks of one run are of one flow, so the first of them tells for all. */
  private async among(of: ChildrenOf): Promise<ApprovalRule | undefined> {
    const [first] = await this.find(of, { statuses: this.reached, limit: 1 });
    const child = first === undefined ? null : await this.read(first.taskId);
    if (child === null) return undefined;
    // Of one that cannot be read nobody knows which rule those beside it have.
    if (child === UNREADABLE || this.reads > READS_MAX) return this.about;
    for (const { action, statuses } of this.effects) {
      const rule = ruleFor(this.sources.approvals, action, child.plan.flow);
      if (rule === undefined) continue;
      if ((await this.find(of, { statuses, limit: 1 })).length > 0) return rule;
    }
    return mayHaveChildren(child.plan.steps) ? this.belowThese(of) : undefined;
  }

  private async belowThese(of: ChildrenOf): Promise<ApprovalRule | undefined> {
    let page: readonly FoundChild[] = [];
    do {
      const before = page.at(-1)?.index;
      const further = { limit: PAGE_MAX, ...(before !== undefined && { before }) };
      page = await this.find(of, { statuses: this.reached, ...further });
      const children = await Promise.all(page.map(({ taskId }) => this.read(taskId)));
      for (const child of children) {
        if (this.reads > READS_MAX) return this.about;
        if (child === null || child === UNREADABLE) continue;
        const rule = await this.below(child);
        if (rule !== undefined) return rule;
      }
    } while (page.length === PAGE_MAX);
    return undefined;
  }

  private find(of: ChildrenOf, query: Omit<ChildQuery, keyof ChildrenOf>) {
    this.reads += 1;
    return this.sources.children.find({ ...of, ...query });
  }

  /** Null: it is gone. Nothing acts on one that cannot be read. */
  private read(taskId: string): Promise<Task | typeof UNREADABLE | null> {
    this.reads += 1;
    return this.sources.store.get(taskId).catch((error: unknown) => {
      if (error instanceof TaskUnreadable) return UNREADABLE;
      throw error;
    });
  }
}

function mayHaveChildren(steps: readonly StepPlan[]): boolean {
  return heldAsWritten(steps).steps.some((step) => {
    return step.dynamic !== undefined || isParentStep(step);
  });
}
