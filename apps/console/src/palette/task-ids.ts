const HEX = /^[\da-f]{6,}$/;
/** Hexadecimal digits of the time at the beginning of an id: milliseconds. */
const TIME_DIGITS = 12;

/** A moment of creation, as the interface takes it. */
interface CreatedWithin {
  readonly createdAfter: string;
  readonly createdBefore: string;
}

/**
 * When tasks were created whose ids begin so; null: the text is no beginning of an id, or says too
 * little. Ids begin with their time, except those that follow from a parent or a schedule.
 */
export function createdWithin(prefix: string): CreatedWithin | null {
  const digits = prefix.toLowerCase().replaceAll('-', '');
  if (!HEX.test(digits)) return null;
  const first = Number.parseInt(digits.slice(0, TIME_DIGITS).padEnd(TIME_DIGITS, '0'), 16);
  const last = Number.parseInt(digits.slice(0, TIME_DIGITS).padEnd(TIME_DIGITS, 'f'), 16);
  const [from, to] = [new Date(first), new Date(last + 1)];
  // Years of more digits are none that a task has.
  if (Number.isNaN(to.getTime()) || to.getUTCFullYear() > 9_999) return null;
  return { createdAfter: from.toISOString(), createdBefore: to.toISOString() };
}
