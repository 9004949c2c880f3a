/** Only a text with so many digits together can have a number that is not kept. */
const MANY_DIGITS = /[\d.]{16}/;
const TOKEN = /"[^"\\]*(?:\\[^][^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * Whole numbers of a JSON text that are other numbers once they are read, as a double holds about
 * sixteen digits: long ids, mostly. Fractions are rounded everywhere, and mean no more than that.
 */
export function inexactNumbers(text: string): ReadonlySet<number> {
  const found = new Set<number>();
  if (!MANY_DIGITS.test(text)) return found;
  for (const [token] of text.matchAll(TOKEN)) {
    if (token.startsWith('"')) continue;
    const value = Number(token);
    const written = decimalOf(token);
    if (written.power >= 0 && written.digits !== decimalOf(String(value)).digits) found.add(value);
  }
  return found;
}

/** Digits without zeros around them, and the power of ten that follows. */
function decimalOf(token: string): { readonly digits: string; readonly power: number } {
  const [mantissa = '', exponent = '0'] = token.replace('-', '').toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const all = `${whole}${fraction}`;
  const digits = all.replace(/0+$/, '');
  const power = Number(exponent) - fraction.length + all.length - digits.length;
  return { digits: digits.replace(/^0+/, ''), power };
}
