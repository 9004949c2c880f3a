import type { Ajv2020, FuncKeywordDefinition } from 'ajv/dist/2020.js';

/** Replaces a validator's `uniqueItems`, which compares every entry with every other one. */
export function useLinearUniqueItems(ajv: Ajv2020): void {
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword(uniqueItems);
}

const uniqueItems: FuncKeywordDefinition = {
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  errors: true,
  validate: checkUnique,
};

function checkUnique(
  isUnique: boolean,
  entries: readonly unknown[],
  parentSchema?: object,
): boolean {
  const pair = isUnique ? findPair(entries) : null;
  if (pair === null) return true;
  const { i, j } = pair;
  const message = `must NOT have duplicate items (items ## ${j} and ${i} are identical)`;
  (checkUnique as { errors?: readonly object[] }).errors = [
    { keyword: 'uniqueItems', params: { i, j }, message, parentSchema },
  ];
  return false;
}

/** The first entry that is the same as one before it, and that one. */
function findPair(entries: readonly unknown[]): { readonly i: number; readonly j: number } | null {
  const seen = new Map<string, number>();
  for (const [i, entry] of entries.entries()) {
    const text = canonicalText(entry);
    const j = seen.get(text);
    if (j !== undefined) return { i, j };
    seen.set(text, i);
  }
  return null;
}

/** The same text for values that JSON Schema calls equal: the order of members does not count. */
function canonicalText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalText).join()}]`;
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const texts = members.map(([name, part]) => `${JSON.stringify(name)}:${canonicalText(part)}`);
  return `{${texts.join()}}`;
}
