/** Longer words are cut: they go into answers, rows and logs. */
const WORDS_MAX = 300;

/** The driver puts the broker's text behind the code and the name of the frame. */
const OF_BROKER = /with message "(.*)"\.?$/s;

/**
 * The words of an error for people: the broker's own where it closed a channel or a connection,
 * else those of the driver or the network. One line.
 */
export function wordsOf(error: unknown): string {
  const text = textOf(error);
  const words = (OF_BROKER.exec(text)?.[1] ?? text).replaceAll(/\s+/g, ' ').trim();
  return words.length > WORDS_MAX ? `${words.slice(0, WORDS_MAX)}…` : words;
}

/** A sentence with the words of its cause, where there are any. */
export function withCause(sentence: string, cause: unknown): string {
  const words = cause === null || cause === undefined ? '' : wordsOf(cause);
  return words === '' ? `${sentence}.` : `${sentence}: ${words.replace(/\.$/, '')}.`;
}

/** The AMQP code that the broker gave, or null. */
export function replyCodeOf(error: unknown): number | null {
  const code: unknown = (error as { readonly code?: unknown } | null)?.code;
  return typeof code === 'number' ? code : null;
}

/** Where several addresses were tried, the outer error has no words. */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const inner: unknown = error instanceof AggregateError ? error.errors[0] : undefined;
  const { code } = error as NodeJS.ErrnoException;
  return error.message || (inner === undefined ? (code ?? error.name) : textOf(inner));
}
