/**
 * Tells of every exception that nobody caught and every rejection that nobody looked after while a
 * history is played. Call what is returned when it is over.
 */
export function watchUnhandled(tell: (error: unknown) => void): () => Promise<void> {
  process.on('uncaughtException', tell);
  process.on('unhandledRejection', tell);
  return async () => {
    // Promises that nobody looks after are told to the process only when a turn is over.
    await new Promise((resolve) => setImmediate(resolve));
    process.off('uncaughtException', tell);
    process.off('unhandledRejection', tell);
  };
}
