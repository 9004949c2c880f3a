/** Exit codes of the command line; scripts hold on to them. */
export const EXIT = {
  done: 0,
  endedOtherwise: 1,
  usage: 2,
  notFound: 3,
  conflict: 4,
  unreachable: 5,
  timeOver: 6,
  /** 128 and the number of SIGINT, as shells do. */
  interrupted: 130,
} as const;

/** One of them. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

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
}

/** Somebody pressed Ctrl-C, or closed the pipe. Not an error: nothing is said about it. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';

  constructor(readonly exitCode: ExitCode) {
    super('interrupted');
  }
}
