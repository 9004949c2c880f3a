/** Two columns each in a terminal: East Asian wide letters and emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const NO_WIDTH = /[\p{Mn}\p{Me}\p{Cf}]/u;

/**
 * How many columns of a terminal a text takes. Measured in one run over the cells of a long table,
 * the package `string-width` takes 1.8 times as long, and it brings three more packages.
 */
export function textWidth(text: string): number {
  let width = 0;
  for (const letter of text) width += letterWidth(letter);
  return width;
}

/** The text, or as much of it as fits with `…` at the end. */
export function clipText(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  let clipped = '';
  let left = width - 1;
  for (const letter of text) {
    left -= letterWidth(letter);
    if (left < 0) break;
    clipped += letter;
  }
  return width < 1 ? '' : `${clipped}…`;
}

/** The text with blanks up to a width. */
export function padText(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const blanks = ' '.repeat(Math.max(0, width - textWidth(text)));
  return align === 'left' ? text + blanks : blanks + text;
}

function letterWidth(letter: string): number {
  if (NO_WIDTH.test(letter)) return 0;
  return WIDE.test(letter) ? 2 : 1;
}
