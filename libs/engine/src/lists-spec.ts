import type { StepOf, JsonObject, StepPlan, Task } from '#core';
import { chain, type EngineWorld, settle } from '#testing';

/** A person who acts on a task. */
export const PERSON = { actor: 'ann', reason: 'because', key: null } as const;

/** The items of the list. */
export const ITEMS: readonly string[] = ['a', 'b', 'c', 'd'];

/** A step that runs `m.make` in a child task for each item. */
export function each(
  more: Partial<StepOf<'foreach'>['foreach']> & { successPercent: number; concurrency: number },
): StepPlan {
  const { steps } = chain(['make']);
  const list = { in: ITEMS, as: 'item', steps, flow: null, parameters: null };
  return { name: 'each', needs: [], foreach: { ...list, ...more } };
}

/** The item that a child task has. */
export function itemIn(parameters: JsonObject): string {
  return parameters['item'] as string;
}

/** Child tasks of an item, in the order in which they began. */
export function childrenOf({ store }: EngineWorld, item: string): readonly Task[] {
  const own = [...store.contents.tasks.values()].filter(({ plan }) => {
    return plan.parameters['item'] === item;
  });
  return own.sort((one, other) => (runOf(one) < runOf(other) ? -1 : 1));
}

/** The run of its parent that began a child task. */
export function runOf({ plan }: Task): string {
  return plan.parent?.run ?? '';
}

/** Lets everything happen that needs no time: child tasks of child tasks, too. */
export async function quiet(): Promise<void> {
  for (let n = 0; n < 80; n += 1) await settle();
}
