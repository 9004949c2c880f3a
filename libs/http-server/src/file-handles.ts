import { readFileSync } from 'node:fs';

/** File handles that are assumed where the system does not report its limit. */
const HANDLES_ELSEWHERE = 4_096;
/** Handles that connections leave to the store, the broker, flow files and everything else. */
const HANDLES_KEPT = 256;
/** Idle connections cost memory too: about 200 MiB are these. */
const CONNECTIONS_MAX = 16_384;
const CONNECTIONS_MIN = 64;

/** How many connections a listener may have, by the handles that the process may open. */
export function connectionsFor(handles: number): number {
  return Math.max(CONNECTIONS_MIN, Math.min(CONNECTIONS_MAX, handles - HANDLES_KEPT));
}

/** How many files and sockets this process may open, as Linux tells. */
export function handleLimit(read = readLimits): number {
  const soft = /^Max open files\s+(\d+|unlimited)/m.exec(read())?.[1];
  if (soft === undefined) return HANDLES_ELSEWHERE;
  return soft === 'unlimited' ? Infinity : Number(soft);
}

function readLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return '';
  }
}
