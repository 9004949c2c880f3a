import { isActive, type Task } from '#core';
import { runIdOf, scopeAt, stepAt } from '#core/scopes';
import { waitsInBranch } from '../../fuzz/branch-waits.js';
import type { World } from '../world.js';

/** Looks that a branch which waits for those beside it is not undone before they have ended. */
export class BranchCheck {
  constructor(private readonly world: World) {}

  look(task: Task, before: Task): void {
    if (task.runs === before.runs || !before.scopes.some(({ way }) => way === 'back')) return;
    for (const [place, { rollback }] of task.runs.entries()) {
      const old = before.runs[place]?.rollback;
      if (old?.state !== 'pending' || stepAt(task, place)?.normal === undefined) continue;
      if (!waitsInBranch(before, scopeAt(before, place))) continue;
      this.world.see('branch waited for others');
      if (!rollback || !isActive(rollback)) continue;
      if (!waitsInBranch(task, scopeAt(task, place))) continue;
      const { plan, revision } = task;
      const id = runIdOf(task, place);
      const message = `${id} is undone, and a branch that is to end before it goes on`;
      this.world.violate('I4', `${plan.taskId} r${revision}: ${message}`);
    }
  }
}
