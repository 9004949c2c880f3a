/**
 * Pieces of JSON. Texts of which every commit writes several are put together from these: a general
 * writer, which looks at every member, takes more than twice as long.
 */

/** A text or an object; null as such. */
export function valueText(value: unknown): string {
  return value === null ? 'null' : JSON.stringify(value);
}

/** A number. One that JSON has no word for becomes null, as in any JSON. */
export function numberText(value: number | null): string {
  return value !== null && Number.isFinite(value) ? `${value}` : 'null';
}

/** A moment as a task time (`task-time.ts`). */
export function timeText(moment: number | null, createdAt: number): string {
  return moment === null ? 'null' : numberText(moment - createdAt);
}

/** Members of a list as JSON, each with a comma before it. */
export function moreText(members: readonly unknown[]): string {
  return members.length === 0 ? '' : `,${JSON.stringify(members).slice(1, -1)}`;
}
