/**
 * One line without control characters: text of others, such as the message that a command failed
 * with, must not move the cursor, colour the screen, or turn the text round.
 */
export function plainLine(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '?')
    .trim();
}
