import {
  MongoNetworkError,
  MongoOperationTimeoutError,
  MongoServerError,
  MongoServerSelectionError,
} from 'mongodb';
import { StoreUnavailable } from '#ports';

/**
 * What a server says that is no primary now, or could not wait for a majority: host unreachable,
 * not found, network timeout, write concern failed, shutting down, stepped down, time limit
 * exceeded, socket broken, not primary (three), interrupted (two).
 */
const AWAY = new Set([6, 7, 64, 89, 91, 189, 262, 9_001, 10_107, 11_600, 11_602, 13_435, 13_436]);

/**
 * The result; throws `StoreUnavailable` where there is none because the server was not there or did
 * not answer in time, which says nothing about whether a write took effect.
 */
export async function orUnavailable<T>(result: Promise<T>): Promise<T> {
  try {
    return await result;
  } catch (error) {
    if (!isAway(error)) throw error;
    throw new StoreUnavailable(`MongoDB does not answer: ${error.message}`, { cause: error });
  }
}

/** Whether an error is about the server's being there, not about what was asked of it. */
function isAway(error: unknown): error is Error {
  if (error instanceof MongoServerError) {
    return typeof error.code === 'number' && AWAY.has(error.code);
  }
  return (
    error instanceof MongoNetworkError ||
    error instanceof MongoOperationTimeoutError ||
    error instanceof MongoServerSelectionError ||
    isSystemError(error)
  );
}

/** Sockets fail with these, not always wrapped by the driver. */
function isSystemError(error: unknown): error is Error {
  return typeof error === 'object' && error !== null && 'syscall' in error;
}
