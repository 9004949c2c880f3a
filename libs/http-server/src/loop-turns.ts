/** Those that wait for a turn of the event loop, first come first. */
const waiting: (() => void)[] = [];

/**
 * Resolves in a turn of the event loop that is nobody else's: of all the long pieces of work in a
 * process one is done in each turn, and whatever came meanwhile is served between two of them.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(give);
  });
}

function give(): void {
  waiting[0]?.();
  waiting.shift();
  if (waiting.length > 0) setImmediate(give);
}
