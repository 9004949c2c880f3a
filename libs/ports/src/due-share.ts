/** The part of the due tasks that one of several gateways looks at first. */
export interface DueShare {
  /** From 0 on, below `parts`. */
  readonly part: number;
  /** How many gateways share the due tasks: at least 2. */
  readonly parts: number;
  /** Tasks due by this moment are in every share, in milliseconds since 1970. */
  readonly allUpTo: number;
}

/**
 * Whether a due task is in a share; without a share, all are. Which part a task belongs to follows
 * from its id alone, and tasks spread evenly over the parts.
 */
export function isInShare(taskId: string, wakeAt: number, share: DueShare | undefined): boolean {
  if (share === undefined || wakeAt <= share.allUpTo) return true;
  return hashOf(taskId) % share.parts === share.part;
}

/** FNV-1a: ids that differ in a letter are far apart. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let n = 0; n < text.length; n += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(n), 0x01000193);
  }
  return (hash ^ (hash >>> 15)) >>> 0;
}
