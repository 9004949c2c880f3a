import type { Task } from '#core';
import { ownersOf } from '#core/read';
import { openActions } from '#core/scopes';
import { searchTermsOf } from '#core/stored';
import type { TaskFilter } from '#ports';

/** The beginning of the line of a session that holds a running action. */
const OWNER = 'owner:';

/**
 * Text of the terms of a task, as its column has it: each is a line, and so is each session that
 * holds an action of it. Null: there are none.
 */
export function termLines(task: Task): string | null {
  const open = openActions(task);
  const owners = ownersOf(task, open).map((owner) => OWNER + owner);
  const lines = [...searchTermsOf(task, open), ...owners];
  return lines.length === 0 ? null : lineOf(lines.join('\n'));
}

/** Lists of texts: a task that fits has one of each list among its {@link termLines}. */
export function partsOf({
  owners,
  terms = [],
}: Pick<TaskFilter, 'owners' | 'terms'>): readonly (readonly string[])[] {
  const parts = terms.map((list) => list.map(lineOf));
  if (owners === undefined) return parts;
  const sessions = owners === 'any' ? [`\n${OWNER}`] : owners.map((owner) => lineOf(OWNER + owner));
  return [...parts, sessions];
}

function lineOf(text: string): string {
  return `\n${text}\n`;
}
