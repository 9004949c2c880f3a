import { limited, type TimeLimit } from '#ports';

/** The server did not answer one operation in time. The outcome of the operation is unknown. */
export class OperationTimeout extends Error {
  override readonly name = 'OperationTimeout';
}

/**
 * The operation's result, or `OperationTimeout`. The driver has no time limit of its own that holds
 * against a frozen server: 7.8 ignores `timeoutMS`, and the limits of socket and server selection
 * add up over its retries.
 */
export async function within<T>(operation: () => Promise<T>, limit: TimeLimit): Promise<T> {
  return limited(operation(), limit, () => {
    return new OperationTimeout(`no answer within ${Math.round(limit.ms)} ms`);
  });
}
