import { plainLine } from '#wording';
import { CliError, EXIT, type ExitCode } from '../exit.js';
import type { ProblemReport } from './types.js';

/** Backstep refused a request. */
export class ApiError extends CliError {
  constructor(readonly problem: ProblemReport) {
    super(exitCodeOf(problem), sentenceOf(problem), hintOf(problem));
  }
}

function exitCodeOf({ status, code }: ProblemReport): ExitCode {
  if (status === 404) return EXIT.notFound;
  if (status === 409 || status === 412 || code === 'IDEMPOTENCY_KEY_REUSED') return EXIT.conflict;
  if (status === 408 || status === 504) return EXIT.timeOver;
  if (status === 429 || status === 502 || status === 503) return EXIT.unreachable;
  return status < 500 ? EXIT.usage : EXIT.endedOtherwise;
}

/** The fault, its place, and the code to look it up by. */
function sentenceOf({
  code,
  detail,
  errors = [],
  requestId,
  status,
  title,
}: ProblemReport): string {
  const faults = errors.map(({ pointer, message }) => `${pointer}: ${message}`);
  // With one mistake the detail says it already; with several each says where it is.
  const [only] = errors;
  const what =
    only !== undefined && errors.length === 1
      ? `${detail ?? only.message} (${code} at ${only.pointer})`
      : `${faults.length > 0 ? faults.join(' ') : (detail ?? title)} (${code})`;
  const request = status >= 500 && requestId !== undefined ? ` [request ${requestId}]` : '';
  return plainLine(what + request);
}

const KEY_HINT =
  'Set BACKSTEP_TOKEN, or BACKSTEP_TOKEN_FILE, to an API key; `backstep key create` makes one.';

/** Hints to several mistakes would not say which one each is for. */
function hintOf({ code, errors = [] }: ProblemReport): string | undefined {
  if (code === 'UNAUTHENTICATED') return KEY_HINT;
  const [only] = errors;
  if (only?.hint === undefined || errors.length > 1) return undefined;
  return plainLine(only.hint);
}
