/**
 * A program may hold Nest or Backstep twice: the author's copy and the one that runs it. A class of
 * one copy is not the class of the other, so what an author's code throws and returns is told by
 * its shape, never by `instanceof`.
 */

/** The member by which the errors of every copy of Backstep say what they are. */
export const KIND = Symbol.for('backstep.kind');

/** The kinds of Backstep's own errors and answers. */
export type Kind =
  | 'complete_later'
  | 'invalid_parameters'
  | 'look_again'
  | 'retryable'
  | 'terminal';

/** The members that every `HttpException` has, whichever copy of Nest it is from. */
export interface HttpRefusal {
  readonly message: string;
  getStatus(): number;
  getResponse(): unknown;
}

/** The kind of a thrown or returned value; undefined where no copy of Backstep made it. */
export function kindOf(value: unknown): Kind | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  return (value as { readonly [KIND]?: Kind })[KIND];
}

/** Whether flows can name an error so. */
export function isErrorCode(code: unknown): code is string {
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{0,63}$/.test(code);
}

/** Whether it is the error of a participant's store that is away. */
export function isStoreAway(error: unknown): error is Error {
  return hasName(error, 'StoreUnavailable');
}

/** Whether it is an `HttpException` of Nest. */
export function isHttpRefusal(error: unknown): error is HttpRefusal {
  return hasMethod(error, 'getStatus') && hasMethod(error, 'getResponse');
}

/** Whether it is an `RpcException` of Nest, which guards throw. */
export function isRpcRefusal(error: unknown): boolean {
  return hasMethod(error, 'getError');
}

/** One value for all copies of this module: the first one makes it. */
export function sharedByCopies<T>(name: string, make: () => T): T {
  const key = Symbol.for(`backstep.${name}`);
  const shared = globalThis as unknown as Record<symbol, T | undefined>;
  return (shared[key] ??= make());
}

function hasName(error: unknown, name: string): boolean {
  return typeof error === 'object' && error !== null && (error as Error).name === name;
}

function hasMethod(error: unknown, name: string): boolean {
  if (typeof error !== 'object' || error === null) return false;
  return typeof (error as Record<string, unknown>)[name] === 'function';
}
