const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/;
const TEXT_OR_NUMBER = new RegExp(String.raw`"(?:[^"\\]|\\.)*"|${NUMBER.source}`, 'g');
const WHOLE_NUMBER = new RegExp(`^${NUMBER.source}$`);

/** Whether a text is a number as JSON has it. */
export function isNumber(text: string): boolean {
  return WHOLE_NUMBER.test(text);
}

/**
 * The first number of a JSON text that would be sent with other digits than it was typed with:
 * a double holds about sixteen of them, and long ids have more. Null: there is none.
 */
export function longNumberIn(text: string): string | null {
  const tokens = text.match(TEXT_OR_NUMBER) ?? [];
  return tokens.find((token) => !token.startsWith('"') && !isKept(token)) ?? null;
}

function isKept(token: string): boolean {
  const sent = Number(token);
  return Number.isFinite(sent) && digitsOf(token) === digitsOf(String(sent));
}

/** Digits without the zeros around them, and the power of ten behind them. */
function digitsOf(token: string): string {
  const [mantissa = '', exponent = '0'] = token.replace(/^-/, '').toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const all = `${whole}${fraction}`.replace(/^0+/, '');
  const digits = all.replace(/0+$/, '');
  if (digits === '') return '0';
  return `${digits}e${Number(exponent) - fraction.length + all.length - digits.length}`;
}
