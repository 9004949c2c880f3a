/** The form of a pattern: a name in which each `*` stands for any text. */
export const NAME_PATTERN = '^[A-Za-z0-9._*-]{1,100}$';

/**
 * Whether a text fits a pattern. In time that grows with the product of both lengths at most,
 * whatever the pattern is.
 */
export function fitsPattern(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return text === pattern;
  if (!text.startsWith(first)) return false;
  const last = rest.pop() ?? '';
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

/** Whether a text fits one of the patterns; null stands for every text. */
export function fitsAny(patterns: readonly string[] | null, text: string): boolean {
  return patterns === null || patterns.some((pattern) => fitsPattern(pattern, text));
}
