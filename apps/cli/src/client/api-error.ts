import { plainLine } from '#wording';
import { CliError, EXIT, type ExitCode, type Fault } from '../exit.js';
import type { ProblemReport } from './types.js';

/** Backstep refused a request. */
export class ApiError extends CliError {
  constructor(readonly problem: ProblemReport) {
    super(exitCodeOf(problem), sentenceOf(problem), hintOf(problem));
  }

  override get code(): string {
    return this.problem.code;
  }

  override get faults(): readonly Fault[] {
    return this.problem.errors ?? [];
  }

  override get moreFaults(): number {
    return this.problem.moreErrors ?? 0;
  }
}

/** The exit code for a refusal of Backstep. */
export function exitCodeOf({
  status,
  code,
}: Pick<ProblemReport, 'status'> & Partial<Pick<ProblemReport, 'code'>>): ExitCode {
  if (status === 404) return EXIT.notFound;
  if (status === 409 || status === 412 || code === 'IDEMPOTENCY_KEY_REUSED') return EXIT.conflict;
  if (status === 408 || status === 504) return EXIT.timeOver;
  if (status === 429 || status === 502 || status === 503) return EXIT.unreachable;
  return status < 500 ? EXIT.usage : EXIT.endedOtherwise;
}

/** The fault, its place where there is one alone, and the code to look it up by. */
function sentenceOf({
  code,
  detail,
  errors = [],
  requestId,
  status,
  title,
}: ProblemReport): string {
  const [only] = errors;
  const what =
    only !== undefined && errors.length === 1
      ? `${detail ?? only.message} (${code}${only.pointer && ` at ${only.pointer}`})`
      : `${errors.length > 1 ? title : (detail ?? title)} (${code})`;
  const request = status >= 500 && requestId !== undefined ? ` [request ${requestId}]` : '';
  return plainLine(what + request);
}

const KEY_HINT =
  'Set BACKSTEP_TOKEN, or BACKSTEP_TOKEN_FILE, to an API key; `backstep key create` makes one. Or ' +
  'show a certificate: BACKSTEP_CLIENT_CERT and BACKSTEP_CLIENT_KEY.';

/** Of one mistake; each of several has its own beside it. */
function hintOf({ code, errors = [] }: ProblemReport): string | undefined {
  if (code === 'UNAUTHENTICATED') return KEY_HINT;
  const [only] = errors;
  if (only?.hint === undefined || errors.length > 1) return undefined;
  return plainLine(only.hint);
}
