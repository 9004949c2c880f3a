import {
  type ChildResult,
  FAILED_CHILD,
  type JsonValue,
  RESULTS_MAX,
  statusName,
  type Task,
} from '#core';
import { type ChildRound, type ChildrenPlan, failedItems, numberOf } from '#core/children';
import { jsonSize } from '#core/json';
import { childOutput } from '#core/values';
import type { FoundChild } from '#ports';
import type { EngineParts } from './parts.js';

/** Most bytes of the outputs of child tasks, as JSON, that their parent has. */
const OUTPUTS_BYTES = 262_144;

/** Child tasks that are read at a time. */
const AT_ONCE = 50;

/** Indexes that are looked through at a time. */
const PAGE = 1_000;

/** The results of child tasks. */
interface ChildReport {
  readonly results: readonly ChildResult[];
  /** Some of their outputs may be sealed. */
  readonly hasSecrets: boolean;
}

/** The results of the first items of a step, in their order: of each the last child task. */
export async function resultsOf(
  parts: Pick<EngineParts, 'children' | 'store'>,
  { plan }: Task,
  children: ChildrenPlan,
): Promise<ChildReport> {
  const found = await lastChildren(parts, plan.taskId, children);
  const results: ChildResult[] = [];
  let bytes = 0;
  let hasSecrets = false;
  for (let from = 0; from < found.length; from += AT_ONCE) {
    const page = found.slice(from, from + AT_ONCE);
    const tasks = await Promise.all(page.map(({ taskId }) => parts.store.get(taskId)));
    for (const [n, { index, status, taskId }] of page.entries()) {
      const child = tasks[n] ?? null;
      const whole: JsonValue = child === null ? null : childOutput(child);
      bytes += jsonSize(whole);
      hasSecrets ||= child?.hasSecrets ?? false;
      const output = bytes <= OUTPUTS_BYTES ? whole : null;
      const message =
        child?.outcome === 'succeeded' ? null : (child?.message ?? 'the child task was removed');
      results.push({ index, taskId, status: statusName(status), output, message });
    }
  }
  return { results, hasSecrets };
}

/** The last child tasks of the first items, in the order of these; `index`: number of the item. */
async function lastChildren(
  { children: store }: Pick<EngineParts, 'children'>,
  taskId: string,
  { earlier, numbers, run }: ChildrenPlan,
): Promise<readonly FoundChild[]> {
  const last = new Map<number, FoundChild>();
  for (const round of [...earlier, { run, numbers }]) {
    const before = round.numbers?.filter((number) => number < RESULTS_MAX).length ?? RESULTS_MAX;
    if (before === 0) continue;
    const query = { taskId, run: round.run, before, limit: RESULTS_MAX };
    for (const child of await store.find(query)) {
      const number = numberOf({ round, index: child.index });
      last.set(number, { ...child, index: number });
    }
  }
  return [...last.values()].sort((one, other) => one.index - other.index);
}

/**
 * Numbers of the items whose last child task failed, in ascending order. All of them have ended, so
 * that it is the same list whenever anybody asks.
 */
export async function failedNumbers(
  parts: Pick<EngineParts, 'children'>,
  { plan }: Task,
  { earlier }: ChildrenPlan,
): Promise<readonly number[]> {
  const rounds: { readonly round: ChildRound; readonly failed: readonly number[] }[] = [];
  for (const round of earlier) {
    const failed: number[] = [];
    const of = { taskId: plan.taskId, run: round.run, statuses: FAILED_CHILD, limit: PAGE };
    let page = await parts.children.find(of);
    while (page.length > 0) {
      failed.push(...page.map(({ index }) => index));
      const lowest = page.at(-1)?.index ?? 0;
      page = page.length < PAGE ? [] : await parts.children.find({ ...of, before: lowest });
    }
    rounds.push({ round, failed });
  }
  return failedItems(rounds);
}

/** Indexes of child tasks that their parent may have started and that were never stored. */
export async function missingChildren(
  parts: Pick<EngineParts, 'children'>,
  { plan }: Task,
  { children, found }: { readonly children: ChildrenPlan; readonly found: number },
): Promise<readonly number[]> {
  const { run, tally } = children;
  const missing: number[] = [];
  let end = tally.started;
  while (end > 0 && missing.length < tally.started - found) {
    const query = { taskId: plan.taskId, run, before: end, limit: PAGE };
    const page = await parts.children.find(query);
    for (const { index } of page) {
      for (let gap = end - 1; gap > index; gap -= 1) missing.push(gap);
      end = index;
    }
    if (page.length < PAGE) {
      for (let gap = end - 1; gap >= 0; gap -= 1) missing.push(gap);
      end = 0;
    }
  }
  return missing;
}
