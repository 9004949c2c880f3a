/** Longest line, in bytes of UTF-8. */
const LINE_BYTES_MAX = 8_192;

/** Room for the words at the end of a line that was cut, in bytes. */
const CUT_BYTES = 40;

/** Most texts have none of these: the rest of this file is for the others. */
const SPECIAL = /[^ -~]/;

const LINE_BREAK = /\r\n|\n|\r/;

/** Sequences that colour a terminal or move its cursor. */
// eslint-disable-next-line no-control-regex
const TERMINAL = /\u001b\[[0-9;:?]{0,32}[ -/]{0,2}[@-~]/g;

const UNPRINTABLE = /(?!\t)[\p{Cc}\p{Bidi_Control}\p{Surrogate}]/gu;

/**
 * The lines of a text that anybody may have written: without what controls a terminal, and none
 * longer than eight kilobytes.
 */
export function plainLines(text: string): readonly string[] {
  if (text.length < LINE_BYTES_MAX && !SPECIAL.test(text)) return [text];
  const lines = text.split(LINE_BREAK);
  // The end of the last line begins no further one.
  if (lines.length > 1 && lines.at(-1) === '') lines.pop();
  return lines.map((line) => {
    return cut(line.replaceAll(TERMINAL, '').replaceAll(UNPRINTABLE, '\ufffd'));
  });
}

/** Bytes of a line, with its line break. */
export function sizeOf(line: string): number {
  return Buffer.byteLength(line) + 1;
}

function cut(line: string): string {
  if (line.length * 3 <= LINE_BYTES_MAX) return line;
  const bytes = Buffer.from(line);
  if (bytes.length <= LINE_BYTES_MAX) return line;
  const kept = bytes.subarray(0, LINE_BYTES_MAX - CUT_BYTES).toString();
  // The last character may have been cut in two.
  const whole = kept.replace(/\ufffd$/, '');
  return `${whole}… [${bytes.length - Buffer.byteLength(whole)} more bytes]`;
}
