import { MongoError, MongoInvalidArgumentError, MongoServerError } from 'mongodb';
import { StoreUnavailable } from '#ports';
import { OperationTimeout } from './deadline.js';
import type { Secret } from './secret.js';

/** The `_id` is taken. */
export const DUPLICATE_KEY = 11_000;

/**
 * Error codes of a document or command that the server will refuse every time: bad value, failed to
 * parse, wrong type, path not viable, conflicting operators, bad field names, too large (three).
 */
const REFUSED = new Set([2, 9, 14, 28, 40, 52, 57, 10_334, 17_419, 17_420]);

/** Error codes of an index that is there with other options, or with other keys. */
const INDEX_CONFLICTS = new Set([85, 86]);

/** The server cannot be a store of tasks; starting again without a change will not help. */
export class UnsuitableServer extends Error {
  override readonly name = 'UnsuitableServer';
}

/** The document is one that this server will refuse every time, most likely because of its size. */
export class DocumentRefused extends Error {
  override readonly name = 'DocumentRefused';
}

/** Whether a server's error code is about what was sent, not about the server's state. */
export function isRefusal(code: unknown): boolean {
  return typeof code === 'number' && REFUSED.has(code);
}

/** Whether trying again is pointless because the fault is on this side. */
export function isOwnFault(error: unknown): boolean {
  if (error instanceof StoreUnavailable || error instanceof OperationTimeout) return false;
  if (error instanceof MongoInvalidArgumentError) return true;
  if (error instanceof MongoServerError) return isRefusal(error.code);
  if (error instanceof MongoError) return false;
  return !isSystemError(error);
}

/** Whether the server told it: for bulk writes the driver wraps an error of the network as well. */
export function isAnswer(error: unknown): boolean {
  if (!(error instanceof MongoServerError)) return false;
  const told: unknown = error.errorResponse;
  return !(told instanceof Error) || isAnswer(told);
}

/** Name resolution and sockets fail with these, not always wrapped by the driver. */
function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}

/** Any error as what a caller may see: `StoreUnavailable`, or a fault of this side as it is. */
export function asStoreError(error: unknown, what: string, secret: Secret): Error {
  if (error instanceof StoreUnavailable) return error;
  if (isOwnFault(error)) return error instanceof Error ? error : new Error(String(error));
  const text = error instanceof Error ? error.message : String(error);
  const message = `MongoDB, ${what}: ${secret.mask(text)}`;
  return new StoreUnavailable(message, secret.isIn(error) ? {} : { cause: error });
}

/** Whether an index of the same name or keys is there, with other options or keys. */
export function isIndexConflict(error: unknown): error is MongoServerError {
  return error instanceof MongoServerError && INDEX_CONFLICTS.has(Number(error.code));
}

/** False for an insert whose id is taken; throws everything else. */
export function unlessDuplicate(error: unknown): boolean {
  if (error instanceof MongoServerError && error.code === DUPLICATE_KEY) return false;
  throw error;
}
