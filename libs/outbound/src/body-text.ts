import { UnreadableBody } from './decode-content.js';

/** Marks at the beginning of a text, which outdo what its header says. */
const MARKS: readonly (readonly [mark: readonly number[], charset: string])[] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xfe, 0xff], 'utf-16be'],
  [[0xff, 0xfe], 'utf-16le'],
];

/**
 * The text of a body, without its byte order mark: in the charset of that mark, else of its
 * `Content-Type`, else UTF-8; null: it has bytes that mean nothing there. Throws `UnreadableBody`
 * for a charset that is not known.
 */
export function bodyText(body: Buffer, contentType: string | undefined): string | null {
  const [, marked] = MARKS.find(([mark]) => mark.every((byte, n) => body[n] === byte)) ?? [];
  const charset = marked ?? charsetOf(contentType ?? '');
  try {
    const decoder = new TextDecoder(charset, { fatal: true });
    const text = decoder.decode(body);
    return decoder.encoding === 'windows-1252' ? withWindowsSigns(text) : text;
  } catch (error) {
    if (!(error instanceof RangeError)) return null;
    const name = JSON.stringify(charset);
    throw new UnreadableBody(`the body has the unknown charset ${name}`, { cause: error });
  }
}

function charsetOf(contentType: string): string {
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*["']?([^"';,\s]+)/i.exec(contentType) ?? [];
  // So some servers say that a body is no text.
  return charset.toLowerCase() === 'binary' ? 'utf-8' : charset;
}

/** The signs of windows-1252 from 80 to 9F. */
const WINDOWS_SIGNS =
  '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f' +
  '\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178';

/** Node 20 decodes windows-1252 as ISO 8859-1, which has other signs there. */
function withWindowsSigns(text: string): string {
  return text.replaceAll(
    /[\u0080-\u009f]/g,
    (sign) => WINDOWS_SIGNS[sign.charCodeAt(0) - 0x80] ?? sign,
  );
}
