import { type ProblemCode, PROBLEMS } from './problem-catalogue.js';

/** One mistake in the input. */
export interface InputFault {
  /** RFC 6901 pointer into the body; for a parameter or a header its name after a slash. */
  readonly pointer: string;
  readonly message: string;
  readonly hint?: string;
  /**
   * Of a fault in a flow: what kind of it, the address of the page about that, and where it stands
   * in the text, counted from 1.
   */
  readonly code?: string;
  readonly type?: string;
  readonly line?: number;
  readonly column?: number;
}

/** Most mistakes that one error lists; of the rest it says how many there are. */
const ERRORS_MAX = 20;

/** Members of an error that only some codes have. */
interface ProblemExtension {
  /** Numbers of the worker protocols that are served. */
  readonly supported?: readonly number[];
  /** Why a claim is over: `timed_out`, `rolled_back`, `terminated` and so on. */
  readonly reason?: string;
  /** Whether the report was kept with its attempt. */
  readonly recorded?: boolean;
}

/** Optional parts of an error besides its sentence. */
interface ProblemMore {
  /** Of a longer list the first `ERRORS_MAX` are kept. */
  readonly errors?: readonly InputFault[];
  /** Mistakes there are besides `errors`. Default: 0. */
  readonly moreErrors?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: none. */
  readonly extension?: ProblemExtension;
  readonly cause?: unknown;
}

/** Ends a request with an error of the catalogue. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly errors: readonly InputFault[] | undefined;
  /** Mistakes there are besides `errors`. */
  readonly moreErrors: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly extension: ProblemExtension | undefined;

  /** `detail` is for people and about this occurrence; it must not repeat secrets of the input. */
  constructor(
    readonly code: ProblemCode,
    detail: string,
    { errors, moreErrors = 0, headers, extension, cause }: ProblemMore = {},
  ) {
    super(detail, cause === undefined ? {} : { cause });
    this.errors = errors?.slice(0, ERRORS_MAX);
    this.moreErrors = moreErrors + (errors?.length ?? 0) - (this.errors?.length ?? 0);
    this.headers = headers ?? {};
    this.extension = extension;
  }

  get status(): number {
    return PROBLEMS[this.code].status;
  }
}

/** An error as RFC 9457 writes it. */
export interface ProblemBody extends ProblemExtension {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
  readonly code: ProblemCode;
  readonly requestId?: string;
  readonly errors?: readonly InputFault[];
  /** How many mistakes there are besides `errors`; absent: none. */
  readonly moreErrors?: number;
}

/** The body of an error; `instance` is the path of the request. */
export function problemBody(problem: Problem, instance: string, requestId?: string): ProblemBody {
  const { code, errors, extension, message: detail, moreErrors } = problem;
  const { status, title } = PROBLEMS[code];
  return {
    type: `/docs/errors#${code}`,
    title,
    status,
    detail,
    instance,
    code,
    ...(requestId !== undefined && { requestId }),
    ...extension,
    ...(errors !== undefined && { errors }),
    ...(moreErrors > 0 && { moreErrors }),
  };
}

/** The error for input at fault: one sentence, and the mistakes. */
export function invalidRequest(...errors: readonly InputFault[]): Problem {
  return invalidInput(errors);
}

/** The same, of a list, where `moreErrors` that were counted were not even put into words. */
function invalidInput(errors: readonly InputFault[], moreErrors = 0): Problem {
  const [first] = errors;
  const rest = errors.length - 1 + moreErrors;
  const more = rest > 0 ? ` (and ${rest} more)` : '';
  const detail = `${first?.message ?? 'It cannot be read.'}${more}`;
  return new Problem('INVALID_REQUEST', detail, { errors, moreErrors });
}

/** Collects what is wrong with one request: puts the first mistakes into words, counts the rest. */
export class InputFaults {
  private readonly found: InputFault[] = [];
  private more = 0;

  /** The mistakes that an answer lists. */
  get listed(): readonly InputFault[] {
    return this.found;
  }

  /** `describe` is asked only where the mistake will be listed. */
  add(describe: () => InputFault): void {
    if (this.found.length < ERRORS_MAX) this.found.push(describe());
    else this.more += 1;
  }

  /** Throws if anything was wrong. */
  finish(): void {
    if (this.found.length > 0) throw invalidInput(this.found, this.more);
  }
}
