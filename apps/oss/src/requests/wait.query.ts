import { DURATION_PATTERN, parseDuration } from '#wording';
import { WAIT_MAX_MS } from './limits.js';
import { parameter, RequestQuery } from './request-query.js';

/** The query of requests that may wait for their task. */
export const WAIT_QUERY = new RequestQuery({
  wait: parameter(
    `Answer when the task stops moving, or after this time: at most ${WAIT_MAX_MS}ms.`,
    {
      schema: { type: 'string', pattern: DURATION_PATTERN },
      expected: `a time like 500ms, 30s or 5m, at most ${WAIT_MAX_MS / 60_000}m`,
      read: readWaitTime,
    },
  ),
});

function readWaitTime(text: string): number | null {
  try {
    const ms = parseDuration(text);
    return ms <= WAIT_MAX_MS ? ms : null;
  } catch {
    return null;
  }
}
