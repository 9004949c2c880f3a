/**
 * One line without control characters: text of others, such as the message that a command failed
 * with, must not move the cursor, colour the screen, or turn the text round.
 */
export function plainLine(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, '?')
    .trim();
}

/** The same of a line whose blanks mean something, such as one of a program's output. */
export function plainSpaced(line: string): string {
  return line.replaceAll(/(?!\t)[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu, '?');
}

/** A text, of one line or several, in which nothing turns the text round. */
export function unturned(text: string): string {
  return text.replaceAll(/\p{Bidi_Control}/gu, '?');
}

/** The same JSON, with escapes for what would control a terminal or turn the text round. */
export function plainJson(json: string): string {
  return json.replaceAll(/[\u007f-\u009f\p{Bidi_Control}]/gu, (letter) => {
    return `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
