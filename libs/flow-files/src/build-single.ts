import type { JsonValue, StepPlan } from '#core';
import { isExpression } from '#expressions';
import { inside, readDuration, type Site } from './build-action.js';

import { clip } from './json-document.js';
import type { WrittenApprove, WrittenDuration, WrittenOf, WrittenWait } from './written-flow.js';

type WaitPlan = NonNullable<StepPlan['wait']>;
type ApprovePlan = NonNullable<StepPlan['approve']>;
type SucceedPlan = NonNullable<StepPlan['succeed']>;

/** The plan of a `wait`. Reports a duration or moment that is wrong as a problem of the site. */
export function buildWait(written: WrittenWait, site: Site): WaitPlan {
  const { for: duration, signal, timeout, onTimeout = 'fail', until } = written;
  if (duration !== undefined) return { for: durationOr(duration, inside(site, 'for')) };
  if (until !== undefined) return { until: momentOr(until, inside(site, 'until')) };
  return { signal: signal ?? '', timeoutMs: limitOf(timeout, site), onTimeout };
}

/** The plan of an `approve`: the question to a person, the roles that may answer, the limit. */
export function buildApprove(written: WrittenApprove, site: Site): ApprovePlan {
  const { notBy, title, roles = [], timeout, onTimeout = 'fail' } = written;
  const asked = { title, roles, ...(notBy !== undefined && { notBy }) };
  return { ...asked, timeoutMs: limitOf(timeout, site), onTimeout };
}

/** How a task ends early. */
export function buildSucceed(written: WrittenOf<'succeed'>['succeed']): SucceedPlan {
  const output: JsonValue = written === true ? null : written.output;
  return { output };
}

/** Milliseconds of a duration, or the expression as it is written. */
export function durationOr(written: WrittenDuration, site: Site): number | string {
  return isExpression(written) ? written : readDuration(written, site);
}

function limitOf(timeout: WrittenDuration | undefined, site: Site): number | null {
  return timeout === undefined ? null : readDuration(timeout, inside(site, 'timeout'));
}

/** Milliseconds since 1970, or the expression as it is written. */
function momentOr(written: string | number, { pointer, problems }: Site): number | string {
  if (isExpression(written)) return written;
  const at = typeof written === 'number' ? Math.round(written * 1_000) : Date.parse(written);
  if (Number.isFinite(at)) return at;
  const message = `\`${clip(String(written))}\` is no moment that there is.`;
  const hint = 'Write for example "2027-01-01T06:00:00Z", or seconds since 1970.';
  problems.add({ pointer, code: 'WRONG_MOMENT', message, hint });
  return 0;
}
