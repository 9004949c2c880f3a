/**
 * What a promise comes to, or the signal's reason as soon as it is aborted. Requests are given the
 * signal too, but Node 20 may forget that when memory is collected while an answer is awaited.
 */
export async function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop: () => void = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
