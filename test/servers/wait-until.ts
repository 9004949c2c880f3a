import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** Between two tries: a part of the time that was waited, so that it costs little. */
const POLL = { share: 0.06, minMs: 10, maxMs: 150 } as const;
const TOLD_LENGTH = 1_500;

/** Resolves once the thing is there; what it throws until then is told if it never is. */
export type Probe = () => Promise<unknown>;

/** The condition to wait for, and when to give up. */
export interface Wait {
  /** For the error: "rabbitmq did not ... within ..." */
  readonly what: string;
  readonly deadlineMs: number;
  /** Says why waiting on makes no sense any more. Default: it always does. */
  readonly hopeless?: () => string | undefined;
}

/** Tries `probe` until it succeeds, for things that cannot tell themselves when they are ready. */
export async function waitUntil(probe: Probe, wait: Wait): Promise<void> {
  const started = Date.now();
  const deadline = started + wait.deadlineMs;
  for (;;) {
    try {
      await probe();
      return;
    } catch (error) {
      const lost = wait.hopeless?.();
      if (lost !== undefined) throw new Error(`${wait.what}: ${lost}`, { cause: error });
      if (Date.now() > deadline) {
        const late = `not within ${wait.deadlineMs} ms; last: ${firstWordsOf(error)}`;
        throw new Error(`${wait.what}: ${late}`, { cause: error });
      }
    }
    await delay(pollMs(Date.now() - started));
  }
}

function pollMs(waitedMs: number): number {
  return Math.min(Math.max(waitedMs * POLL.share, POLL.minMs), POLL.maxMs);
}

/** Of an error: enough to see what was missing. Runners of tests print no causes. */
function firstWordsOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.length > TOLD_LENGTH ? `${text.slice(0, TOLD_LENGTH)}...` : text;
}

/** Fails unless something accepts connections there. */
export function acceptsConnections(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.setTimeout(1_000, () => socket.destroy(new Error(`no answer on port ${port}`)));
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.destroy();
      resolve();
    });
  });
}
