import type { MongoServerError } from 'mongodb';

/** There is no server that takes writes now: one is elected, or too few are left. */
const NO_PRIMARY: ReadonlySet<unknown> = new Set([
  91, 189, 10_058, 10_107, 11_600, 11_602, 13_435, 13_436,
]);
const AUTHENTICATION_FAILED = 18;
const OUT_OF_DISK_SPACE = 14_031;

/** The remedy for an error by which a server refuses writes, as sentences for people. */
export function remedyFor({ code }: Pick<MongoServerError, 'code'>): string {
  return `${remedyOf(code)} Nothing is lost, and the processes go on by themselves.`;
}

function remedyOf(code: unknown): string {
  if (NO_PRIMARY.has(code)) return 'The replica set has no primary now: see rs.status().';
  if (code === OUT_OF_DISK_SPACE) return 'Make room on its disk.';
  if (code === AUTHENTICATION_FAILED) return 'Give its user the password of BACKSTEP_STORE again.';
  return 'See the log of MongoDB.';
}
