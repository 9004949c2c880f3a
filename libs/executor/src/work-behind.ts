import { textOfThrown } from '#core';
import { TerminalError } from './command-error.js';
import { sharedByCopies } from './shapes.js';

/**
 * Interceptors turn a command's promise into a stream, and who leaves a stream no longer hears when
 * the work behind it ends. So the method itself tells, to those who asked under its context.
 */
const listeners = sharedByCopies(
  'listeners',
  () => new WeakMap<object, (work: Promise<unknown>) => void>(),
);

type Method = (...args: never[]) => unknown;

/** Asks to be told the promise of the command that is about to be called with this context. */
export function listenForWork(context: object, listener: (work: Promise<unknown>) => void): void {
  listeners.set(context, listener);
}

/** The same method, which tells its promise to listeners. */
export function tellsItsWork(method: Method): Method {
  const telling = function (this: unknown, ...args: never[]): unknown {
    const result = method.apply(this, args);
    const context: unknown = args[1];
    if (isPromise(result) && typeof context === 'object' && context !== null) {
      listeners.get(context)?.(result);
    }
    return result;
  };
  Object.defineProperty(telling, 'name', { value: method.name });
  return telling;
}

/** Throws a `TerminalError` where what was returned cannot even be asked. */
function isPromise(result: unknown): result is Promise<unknown> {
  try {
    return result instanceof Promise;
  } catch (error) {
    const message = `the output cannot be read: ${textOfThrown(error)}`;
    throw new TerminalError(message, { code: 'INVALID_OUTPUT' });
  }
}
