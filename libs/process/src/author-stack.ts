import { stackOf } from '#executor';

/** Where Backstep itself is, compiled or not. */
const OWN = import.meta.dirname.replace(/([\\/]dist)?[\\/]libs[\\/]process[\\/]src$/, '');

/**
 * Where an error came from that the code of an author threw, outside of any command; undefined for
 * any other: its message says what to do.
 */
export function authorStack(error: unknown): string | undefined {
  const stack = stackOf(error, { isMeant: false });
  return stack?.split('\n').some(isOfAuthor) === true ? stack : undefined;
}

function isOfAuthor(line: string): boolean {
  if (!/^\s+at /.test(line) || /[\\/]node_modules[\\/]|node:/.test(line)) return false;
  return /[\\/]/.test(line) && !line.includes(OWN);
}
