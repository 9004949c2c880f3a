/** A text as JSON; null stays null. */
export function encodeText(text: string | null): string {
  return text === null ? 'null' : JSON.stringify(text);
}
