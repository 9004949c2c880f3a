import { familyOf } from './family.js';
import type { DrilledTask, DrillGateway } from './gateway.js';
import type { DrillOutsiders } from './outsiders.js';

const ENDED: ReadonlySet<string> = new Set(['succeeded', 'rolled_back', 'terminated']);

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
