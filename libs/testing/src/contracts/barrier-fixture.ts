import type { JsonObject } from '#core';
import type { Awaitable, Barrier, BarrierContext } from '#ports';

/** A barrier under test, with an effect that can be counted. */
export interface BarrierFixture<Tx> {
  readonly barrier: Barrier<Tx>;
  /** Makes the effect of a run. */
  apply(tx: Tx, context: BarrierContext): Awaitable<void>;
  /** Takes the effect of a run back. */
  revert(tx: Tx, context: BarrierContext): Awaitable<void>;
  /** How many effects of the run are there now. */
  count(context: BarrierContext): Promise<number>;
  /** Another barrier on the same store, as another process would have. */
  openAnother(): Promise<Barrier<Tx>>;
  dispose(): Promise<void>;
}

type Body<Tx> = (fixture: BarrierFixture<Tx>) => Promise<void>;
/** Declares a rule that every barrier keeps. */
export type Rule<Tx> = (name: string, body: Body<Tx>) => void;

/** An attempt at a run of a task. */
export function attemptOf(token: number, run = 's', taskId = 't'): BarrierContext {
  return { taskId, run, fencingToken: token };
}

/** An attempt at the effect of a run. */
export function forward<Tx>(
  fixture: BarrierFixture<Tx>,
  context: BarrierContext,
  {
    output = null,
    barrier = fixture.barrier,
  }: { output?: JsonObject | null; barrier?: Barrier<Tx> } = {},
): Promise<JsonObject | null> {
  return barrier.forward(context, (tx) => after(fixture.apply(tx, context), () => output));
}

/** An attempt at the undo of a run. */
export function rollback<Tx>(
  fixture: BarrierFixture<Tx>,
  context: BarrierContext,
  barrier: Barrier<Tx> = fixture.barrier,
): Promise<void> {
  return barrier.rollback(context, (tx) => fixture.revert(tx, context));
}

// Effects on a synchronous store must not be made to wait.
function after<T>(value: Awaitable<void>, next: () => T): Awaitable<T> {
  if (!(value instanceof Promise)) return next();
  return (async () => {
    await value;
    return next();
  })();
}
