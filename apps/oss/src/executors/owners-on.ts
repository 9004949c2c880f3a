import { instanceOf } from '#engine';
import type { SessionStore } from '#ports';

/** The sessions of these instances, and those that are named themselves. */
export async function ownersOn(
  instances: readonly string[],
  sessions: Pick<SessionStore, 'listSessions'>,
): Promise<readonly string[]> {
  const known = await sessions.listSessions();
  const names = known.map(({ session }) => session);
  const theirs = names.filter((session) => instances.includes(instanceOf(session)));
  return [...new Set([...instances, ...theirs])];
}
