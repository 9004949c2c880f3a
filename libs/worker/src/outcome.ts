import type { Attempt } from './attempt.js';
import { clipped, sentLog } from './attempt-log.js';
import type { WorkRequest } from './connection.js';
import type { Outcome } from './protocol.js';

/** The longest message of a failure that the gateway takes, in bytes. */
const MESSAGE_BYTES_MAX = 8_192;
/** How long the answer to an outcome may take. */
const ANSWER_MS = 30_000;

/** The request that tells how an attempt ended. It carries the lines that were not sent yet. */
export function outcomeRequest(attempt: Attempt, outcome: Outcome, now: number): WorkRequest {
  const body = { ...membersOf(outcome), ...logOf(attempt, outcome, now) };
  const path = { claim: attempt.item.claim };
  return { at: `POST /v1/work/{claim}:${outcome.kind}`, path, body, timeoutMs: ANSWER_MS };
}

function membersOf(outcome: Outcome): object {
  switch (outcome.kind) {
    case 'again':
      return { after: durationOf(outcome.afterMs) };
    case 'later':
      return { timeout: durationOf(outcome.timeoutMs) };
    case 'fail': {
      const { afterMs, kind: _, message, ...others } = outcome;
      const after = afterMs === undefined ? {} : { after: durationOf(afterMs) };
      return { ...others, ...after, message: clipped(message, MESSAGE_BYTES_MAX) };
    }
    default: {
      const { kind: _, ...members } = outcome;
      return members;
    }
  }
}

/** Work that is handed back has done nothing that is worth a line. */
function logOf({ log }: Attempt, { kind }: Outcome, now: number): object {
  return kind === 'complete' || kind === 'fail' ? sentLog(log.take(), now) : {};
}

/** As the protocol writes durations: `1500ms`. */
export function durationOf(ms: number): string {
  return `${Math.round(ms)}ms`;
}
