import { fitsLabels, isLimited, plainLabels, type Principal, seesFlow } from '#access';
import type { TaskQuery } from '#ports';
import type { OssOptions } from '../options.js';
import { hiddenAmong } from './hidden-tasks.js';

/** Where the flows and the tasks are found that a query names. */
type QuerySources = Pick<OssOptions, 'changes' | 'flowStore' | 'flows'>;

/**
 * The query narrowed to the tasks that the caller may see, but for patterns of labels, which no
 * index finds; null: there can be none. A parent that he does not see has no child tasks. Patterns
 * of flows become the names of existing ones, because the store finds those by an index. Whatever
 * the query asks for still holds: limits only take something away.
 */
export async function queryWithin(
  query: TaskQuery,
  principal: Principal,
  { changes, flowStore, flows }: QuerySources,
): Promise<TaskQuery | null> {
  if (!isLimited(principal)) return query;
  const { parent } = query;
  if (parent !== undefined && (await hiddenAmong([parent], principal, { changes })).size > 0) {
    return null;
  }
  const labels = labelsWithin(query.labels, principal);
  if (labels === null) return null;
  const narrowed = { ...query, ...(Object.keys(labels).length > 0 && { labels }) };
  if (principal.flows === null) return narrowed;
  if (query.flow !== undefined) return seesFlow(principal, query.flow) ? narrowed : null;
  const asked = query.flows ?? (await namesOf({ flowStore, flows }));
  const seen = asked.filter((name) => seesFlow(principal, name));
  return seen.length === 0 ? null : { ...narrowed, flows: seen };
}

/** The names of all flows there are, or were. */
export async function namesOf({
  flowStore,
  flows,
}: Pick<OssOptions, 'flowStore' | 'flows'>): Promise<readonly string[]> {
  const all = [...(await flowStore.listFlows()), ...flows.list()];
  return [...new Set(all.map(({ definition }) => definition.name))];
}

function labelsWithin(
  asked: TaskQuery['labels'] = {},
  { labels }: Principal,
): Readonly<Record<string, string>> | null {
  // A pattern fits itself, so that only what is asked for can clash.
  const isPossible = fitsLabels(labels, { ...labels, ...asked });
  return isPossible ? { ...plainLabels(labels), ...asked } : null;
}
