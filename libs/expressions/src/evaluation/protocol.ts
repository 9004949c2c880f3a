import type { Answer, Question } from '#core';

/** A request to a process of expressions. */
export interface Asking {
  readonly question: Question;
  /** `$env`. */
  readonly env: Readonly<Record<string, string>>;
}

/** A message of the process: it is ready, it is about to evaluate a place, or the answer. */
export type Saying =
  | { readonly kind: 'ready' }
  | { readonly kind: 'at'; readonly place: string }
  | { readonly kind: 'answer'; readonly answer: Answer }
  /** Something that is no fault of an expression. */
  | { readonly kind: 'broken'; readonly message: string };

/** Longest own time of an answer: all expressions of one question together. */
export const OWN_TIME_MS = 200;

/** Most memory of a process for what it evaluates. */
export const MEMORY_MIB = 64;
