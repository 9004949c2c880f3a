/**
 * How long a test waits for what must happen. Generous: it is only waited for when the test fails.
 */
export const DEADLINE_MS = 60_000;

/** The promise's value, or a failure that says what did not happen in time. */
export async function within<T>(what: string, promise: Promise<T>, ms = DEADLINE_MS): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`Not within ${ms} ms: ${what}`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
