/** Throws when something that must hold does not: a bug in Backstep, never bad input. */
export function invariant(holds: boolean, sentence: string): asserts holds {
  if (!holds) throw new Error(`invariant violated: ${sentence}`);
}

/** Ends a `switch` over a closed union: the compiler rejects a member that was not handled. */
export function assertNever(value: never): never {
  throw new Error(`not handled: ${JSON.stringify(value)}`);
}
