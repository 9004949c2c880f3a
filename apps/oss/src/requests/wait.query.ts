import { QueryReader } from '#http-server';
import { parseDuration } from '#wording';
import { WAIT_MAX_MS } from './limits.js';

/** The time for which a request wants to wait for its task; undefined: not at all. */
export function readWait(query: unknown): number | undefined {
  const reader = new QueryReader(query).expectOnly(['wait']);
  const expected = `a time like 500ms, 30s or 5m, at most ${WAIT_MAX_MS / 60_000}m`;
  const wait = reader.value('wait', readWaitTime, expected);
  reader.finish();
  return wait;
}

function readWaitTime(text: string): number | null {
  try {
    const ms = parseDuration(text);
    return ms <= WAIT_MAX_MS ? ms : null;
  } catch {
    return null;
  }
}
