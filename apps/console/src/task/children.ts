import type { Summary, Unreadable } from '../api/shapes.js';
import { lookOf, type Look } from '../ui/states.js';

/** A child task, as a list has it. */
export type Child = Summary | Unreadable;

/** How a child task stands, as its parent counts it. */
type ChildGroup = 'failed' | 'person' | 'running' | 'succeeded' | 'undone' | 'ended';

/** In the order in which people look for them. */
export const CHILD_GROUPS: readonly ChildGroup[] = [
  'failed',
  'person',
  'running',
  'succeeded',
  'undone',
  'ended',
];

/** The look of each group. */
export const CHILD_LOOKS: Readonly<Record<ChildGroup, Look>> = {
  failed: { tone: 'bad', icon: 'cross' },
  person: { tone: 'wait', icon: 'hand' },
  running: lookOf('running'),
  succeeded: lookOf('succeeded'),
  undone: lookOf('rolled_back'),
  ended: lookOf('terminated'),
};

const HELD = new Set(['on_hold', 'paused']);
/** The message of a child task that went back because its parent, or a person, had it undone. */
const UNDONE = /^(undone by |rolled back by task )/;

/** The group of a child task: one that went back is undone, unless it failed by itself. */
export function groupOf(child: Child): ChildGroup {
  if ('reason' in child || child.status === 'rollback_failed') return 'failed';
  const { approvals, status, taskMessage } = child;
  if (HELD.has(status) || approvals.length > 0) return 'person';
  if (status === 'rolled_back') return UNDONE.test(taskMessage ?? '') ? 'undone' : 'failed';
  if (status === 'terminated') return 'ended';
  return status === 'succeeded' ? 'succeeded' : 'running';
}

/** Child tasks of one step: those first that people look for, each group in the order of items. */
export function inOrder(children: Iterable<Child>): readonly Child[] {
  const key = (child: Child): number => CHILD_GROUPS.indexOf(groupOf(child)) * 1e7 + placeOf(child);
  return [...children].sort((one, other) => key(one) - key(other));
}

/** The later of two words about a child task: a page may come after a change that it lacks. */
export function laterOf(known: Child | undefined, next: Child): Child {
  const isOlder =
    known !== undefined && 'flow' in known && 'flow' in next && next.revision < known.revision;
  return isOlder ? known : next;
}

/** How many there are of each group. */
export function countsOf(children: readonly Child[]): ReadonlyMap<ChildGroup, number> {
  const counts = new Map<ChildGroup, number>();
  for (const child of children) {
    const group = groupOf(child);
    counts.set(group, (counts.get(group) ?? 0) + 1);
  }
  return counts;
}

/** The number of its item; null: it is not known. */
export function itemOf(child: Child): number | null {
  return 'reason' in child ? null : (child.parent?.index ?? null);
}

function placeOf(child: Child): number {
  return itemOf(child) ?? 0;
}
