import type { ListedTask, NotificationRecord } from '#ports';
import { seesListed } from '../access/visible.js';
import { fitsInterest } from '../events/task-match.js';
import { readTaskSearch, type TaskSearch } from '../requests/task-search.js';

/** Tells whether a rule is about a task. */
type TaskJudge = (rule: NotificationRecord, item: ListedTask) => boolean;

/** A judge for these rules at a moment, milliseconds since 1970. */
export function judgeOf(rules: readonly NotificationRecord[], now: number): TaskJudge {
  const searches = new Map(rules.map(({ id, order }) => [id, searchOf(order.q)]));
  return ({ id, scope }, item) => {
    const search = searches.get(id);
    if (search === null || !seesListed(scope, item)) return false;
    return fitsInterest(item, { filter: {}, search }, now);
  };
}

/** Null: it is none that this build understands, and nothing fits it. */
function searchOf(q: string | null): TaskSearch | null | undefined {
  if (q === null) return undefined;
  const search = readTaskSearch(q);
  return 'flows' in search ? search : null;
}
