/** Values that differ from run to run, and the mask of each. */
const MASKS: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '<id>'],
  [/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>'],
  [/\b[0-9a-f]{64}\b/g, '<hash>'],
  [/\b1[6-9]\d{8}(\d{3})?\b/g, '<moment>'],
  [/\bdb-[0-9a-f]{12}\b/g, '<instance>'],
  [/\b(standalone|oss)-[0-9a-f]{8}\b/g, '<process>'],
  [/\b127\.0\.0\.1:\d+/g, '<address>'],
  [/\b\d+m \d+s\b|\b\d+(\.\d+)? m?s\b/g, '<duration>'],
];

/**
 * Whether a command printed what a page shows. Ids and times count as equal; three dots stand for
 * anything, on a line of their own for any number of lines. Columns may be of any width.
 */
export function matchesText(shown: string, actual: string): boolean {
  const lines = tidy(shown).map((line) => {
    if (line === '...') return '(?:.*\\n)*?';
    const parts = line.split('...').map((part) => escaped(part));
    return `${parts.join('.*')}\\n`;
  });
  return new RegExp(`^${lines.join('')}$`, 'u').test(`${tidy(actual).join('\n')}\n`);
}

/** Whether an answer has the members that a page shows, with their values. */
export function matchesJson(shown: unknown, actual: unknown): boolean {
  if (typeof shown === 'object' && shown !== null) {
    if (typeof actual !== 'object' || actual === null) return false;
    if (Array.isArray(shown) !== Array.isArray(actual)) return false;
    const values = actual as Readonly<Record<string, unknown>>;
    return Object.entries(shown).every(([name, value]) => matchesJson(value, values[name]));
  }
  return shown === '...' || masked(JSON.stringify(shown)) === masked(JSON.stringify(actual) ?? '');
}

function tidy(text: string): string[] {
  const lines = masked(text).split('\n');
  return lines.map((line) => line.replaceAll(/\s+/g, ' ').trim()).filter((line) => line !== '');
}

function masked(text: string): string {
  return MASKS.reduce((done, [pattern, name]) => done.replaceAll(pattern, name), text);
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
