import { stackOf } from '#executor';

/** Where Backstep itself is, compiled or not. */
const OWN = import.meta.dirname.replace(/([\\/]dist)?[\\/]libs[\\/]process[\\/]src$/, '');

/** A syntax error begins with the file and the line that could not be read. */
const UNREADABLE = /^(?:file:|[\\/]|[A-Z]:).*:\d+$/;

/**
 * Where an error came from that the code of an author threw, outside of any command; undefined for
 * any other: its message says what to do.
 */
export function authorStack(error: unknown): string | undefined {
  const stack = stackOf(error, { isMeant: false });
  if (stack !== undefined && stack.split('\n').some(isOfAuthor)) return stack;
  const first = error instanceof SyntaxError ? error.stack?.split('\n')[0] : undefined;
  return first !== undefined && UNREADABLE.test(first) ? `    at ${first}` : undefined;
}

function isOfAuthor(line: string): boolean {
  if (!/^\s+at /.test(line) || /[\\/]node_modules[\\/]|node:/.test(line)) return false;
  return /[\\/]/.test(line) && !line.includes(OWN);
}
