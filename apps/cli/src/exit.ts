/** Exit codes of the command line; scripts hold on to them. */
export const EXIT = {
  done: 0,
  endedOtherwise: 1,
  usage: 2,
  notFound: 3,
  conflict: 4,
  unreachable: 5,
  timeOver: 6,
  /** The answer could not be written: the disk is full, for example. */
  unwritten: 7,
  /** 128 and the number of SIGINT, as shells do. */
  interrupted: 130,
} as const;

/** One of them. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** One mistake in the input. */
export interface Fault {
  /** JSON pointer, or the name of what is at fault. */
  readonly pointer: string;
  readonly message: string;
  readonly hint?: string;
}

/** By which programs tell errors apart that no server has named. */
const CODES: Readonly<Record<ExitCode, string>> = {
  [EXIT.done]: 'DONE',
  [EXIT.endedOtherwise]: 'FAILED',
  [EXIT.usage]: 'WRONG_USAGE',
  [EXIT.notFound]: 'NOT_FOUND',
  [EXIT.conflict]: 'CONFLICT',
  [EXIT.unreachable]: 'UNREACHABLE',
  [EXIT.timeOver]: 'TIME_OVER',
  [EXIT.unwritten]: 'OUTPUT_NOT_WRITTEN',
  [EXIT.interrupted]: 'INTERRUPTED',
};

/** Ends a command: one sentence for a person, and the exit code. */
export class CliError extends Error {
  override readonly name = 'CliError';

  constructor(
    readonly exitCode: ExitCode,
    sentence: string,
    /** Advice on how to correct it. */
    readonly hint?: string,
  ) {
    super(sentence);
  }

  /** For programs: the code of the server's error, or one that follows from the exit code. */
  get code(): string {
    return CODES[this.exitCode];
  }

  /** The mistakes in the input, as far as they are listed. */
  get faults(): readonly Fault[] {
    return [];
  }

  /** How many mistakes there are besides. */
  get moreFaults(): number {
    return 0;
  }
}

/** A person pressed Ctrl-C, or closed the pipe. Not an error: nothing is said about it. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';

  constructor(readonly exitCode: ExitCode) {
    super('interrupted');
  }
}
