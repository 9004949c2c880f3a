import { plainLine } from '#wording';

const LENGTH_MAX = 200;

/** A reason as people are told it: one line of a length to be read. */
export function reasonLine(reason: string): string {
  const line = plainLine(reason.slice(0, 4 * LENGTH_MAX));
  return line.length > LENGTH_MAX ? `${line.slice(0, LENGTH_MAX)}...` : line;
}
