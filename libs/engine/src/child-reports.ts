import {
  childOutput,
  type ChildResult,
  type ChildrenPlan,
  jsonSize,
  type JsonValue,
  RESULTS_MAX,
  statusName,
  type Task,
} from '#core';
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

/** The results of the first child tasks of a step, in their order. */
export async function resultsOf(
  { children, store }: Pick<EngineParts, 'children' | 'store'>,
  { plan }: Task,
  run: string,
): Promise<ChildReport> {
  const query = { taskId: plan.taskId, run, before: RESULTS_MAX, limit: RESULTS_MAX };
  const found = [...(await children.find(query))].reverse();
  const results: ChildResult[] = [];
  let bytes = 0;
  let hasSecrets = false;
  for (let from = 0; from < found.length; from += AT_ONCE) {
    const page = found.slice(from, from + AT_ONCE);
    const tasks = await Promise.all(page.map(({ taskId }) => store.get(taskId)));
    for (const [n, { index, status, taskId }] of page.entries()) {
      const child = tasks[n] ?? null;
      const whole: JsonValue = child === null ? null : childOutput(child);
      bytes += jsonSize(whole);
      hasSecrets ||= child?.hasSecrets ?? false;
      const output = bytes <= OUTPUTS_BYTES ? whole : null;
      const message = child?.outcome === 'succeeded' ? null : (child?.message ?? 'it is gone');
      results.push({ index, taskId, status: statusName(status), output, message });
    }
  }
  return { results, hasSecrets };
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
