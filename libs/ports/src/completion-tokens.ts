import type { Direction } from '#core';

/** The attempt that a token is for. */
export interface CompletionClaim {
  readonly taskId: string;
  /** Id of the step's run. */
  readonly run: string;
  readonly direction: Direction;
  readonly attempt: number;
}

/** The content of a token of a run: the attempt that it is for. */
export interface ReadToken {
  readonly direction: Direction;
  readonly attempt: number;
}

/**
 * The tokens by which a person or system outside says how an attempt ended. None is kept: each
 * follows from its attempt and a secret that all processes of a deployment share.
 */
export interface CompletionTokens {
  /** The token of an attempt: always the same, and not to be guessed. */
  tokenOf(claim: CompletionClaim): string;
  /** The attempt of the run that a token is for; null: it is for none of them. */
  read(token: string, of: Pick<CompletionClaim, 'taskId' | 'run'>): ReadToken | null;
}
