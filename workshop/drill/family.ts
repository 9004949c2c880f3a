import type { DrilledTask, DrillGateway } from './gateway.js';
import type { DrillOutsiders } from './outsiders.js';

/** A task that does a part of the work of a drilled one, or that one itself. */
export interface FamilyMember {
  readonly taskId: string;
  readonly status: string;
  /** The part before the ids of its runs: `each#3/`, or ''; null: of a failure flow or below. */
  readonly path: string | null;
}

/** Most tasks of one page. */
const PAGE = '200';

const ENDED: ReadonlySet<string> = new Set(['succeeded', 'rolled_back', 'terminated']);

/** A task and all tasks below it; the children of each in the order in which they were begun. */
export async function familyOf(
  gateway: DrillGateway,
  { status, taskId }: Pick<FamilyMember, 'status' | 'taskId'>,
): Promise<readonly FamilyMember[]> {
  const members: FamilyMember[] = [{ taskId, status, path: '' }];
  for (const member of members) members.push(...(await childrenOf(gateway, member)));
  return members;
}

async function childrenOf(
  gateway: DrillGateway,
  { path, taskId }: FamilyMember,
): Promise<readonly FamilyMember[]> {
  const children: FamilyMember[] = [];
  let cursor: string | null = null;
  do {
    const query = { parent: taskId, limit: PAGE, ...(cursor !== null && { cursor }) };
    const { items, page } = await gateway.listTasks(query);
    for (const item of items) {
      const parent = 'parent' in item ? item.parent : null;
      const { index, step } = parent ?? { index: 0, step: null };
      const isPlaced = path !== null && step !== null;
      const own = isPlaced ? `${path}${step}#${index + 1}/` : null;
      children.push({ taskId: item.taskId, status: item.status, path: own });
    }
    cursor = page.nextCursor;
  } while (cursor !== null);
  // The newest come first.
  return children.reverse();
}

/**
 * Answers the child tasks of a drilled task that wait for an answer, and finds one that needs a
 * person: without help its parent waits for it for ever.
 */
export class FamilyAnswers {
  /** Resolves to the first child task that waits for a person's decision. */
  readonly held: Promise<DrilledTask>;
  #isAsked = false;
  #isAnswering = false;
  #tellHeld: (child: DrilledTask) => void = () => {};

  constructor(
    private readonly gateway: DrillGateway,
    private readonly outsiders: DrillOutsiders,
  ) {
    this.held = new Promise((resolve) => {
      this.#tellHeld = resolve;
    });
  }

  /**
   * Looks at them once. While a look is under way, any number of calls makes one more. Never
   * rejects.
   */
  async answer(taskId: string): Promise<void> {
    this.#isAsked = true;
    if (this.#isAnswering) return;
    this.#isAnswering = true;
    try {
      while (this.#isAsked) {
        this.#isAsked = false;
        await this.#look(taskId);
      }
    } catch {
      // Its process is gone: the next one tells of its moves again.
    } finally {
      this.#isAnswering = false;
    }
  }

  async #look(taskId: string): Promise<void> {
    const [, ...children] = await familyOf(this.gateway, { taskId, status: '' });
    for (const { path, status, taskId: child } of children) {
      if (ENDED.has(status)) continue;
      const task = await this.gateway.getTask(child);
      await this.outsiders.answer(this.gateway, { task, path: path ?? `${child}/` });
      if (path !== null && !ENDED.has(task.status) && this.gateway.standsStill(task))
        this.#tellHeld(task);
    }
  }
}
