import type { DrillGateway } from './gateway.js';

/** A task that does a part of the work of a drilled one, or that one itself. */
export interface FamilyMember {
  readonly taskId: string;
  readonly status: string;
  /** The part before the ids of its runs: `each#3/`, or ''; null: of a failure flow or below. */
  readonly path: string | null;
}

/** Most tasks of one page. */
const PAGE = '200';

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
