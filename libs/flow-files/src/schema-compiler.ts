import type { ErrorObject } from 'ajv';
import { Ajv2020, type FuncKeywordDefinition } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';
import type { JsonObject } from '#core';
import { linearPatterns } from './linear-pattern.js';
import { takingReferences } from './secret-schemas.js';

const uniqueItems: FuncKeywordDefinition = {
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  errors: true,
  validate: checkUnique,
};

const multipleOf: FuncKeywordDefinition = {
  keyword: 'multipleOf',
  type: 'number',
  schemaType: 'number',
  validate: isMultiple,
};

/** Longest `url` that is looked at: the pattern of that format takes quadratic time. */
const URL_MAX = 2_048;

/** Under this name a schema is known to the one around it. */
const INPUT = 'input';

/** A compiled validator: the errors of a value; none where it is valid. */
export type Verdict = (value: unknown) => readonly ErrorObject[];

/** How to compile a schema. */
interface CompileOptions {
  /** Finds all errors; else it stops at the first one, so that its time is bounded. */
  readonly allErrors: boolean;
  /** Refuses members of the value itself that the schema says nothing about. */
  readonly closed: boolean;
}

/** Compiles a schema that has no faults. Throws where it cannot. Nothing is kept of it. */
export function compileSchema(schema: JsonObject, options: CompileOptions): Verdict {
  const ajv = createCompiler(options.allErrors);
  // Apart, so that references to the root of the schema still mean the schema.
  ajv.addSchema(takingReferences(schema), INPUT);
  const closing = options.closed ? { unevaluatedProperties: false } : {};
  const validate = ajv.compile({ $ref: INPUT, ...closing });
  return (value) => (validate(value) ? [] : (validate.errors ?? []));
}

/** Whether an error says that a member of the value itself is one that no schema knows. */
export function isUnknownMember(error: ErrorObject): boolean {
  return error.schemaPath === '#/unevaluatedProperties';
}

/** Names of the formats that schemas may use. */
export const FORMATS: readonly string[] = Object.keys(createCompiler(false).formats);

function createCompiler(allErrors: boolean): Ajv2020 {
  const ajv = new Ajv2020({
    allErrors,
    verbose: true,
    // Faults of schemas are found, in plain words, before a schema gets here.
    strict: false,
    validateSchema: false,
    meta: false,
    logger: false,
    // Else `required: ["constructor"]` would always hold.
    ownProperties: true,
    // Else a definition would be compiled again for each reference to it.
    inlineRefs: false,
    code: { regExp: linearPatterns },
  });
  // A CommonJS module: what Node calls its default export is the function itself.
  const addFormats = addFormatsModule as unknown as typeof addFormatsModule.default;
  addFormats(ajv);
  boundUrl(ajv);
  useLinearUniqueItems(ajv);
  ajv.removeKeyword('multipleOf');
  ajv.addKeyword(multipleOf);
  return ajv;
}

/** In binary 19.99 / 0.01 is no whole number: as much is let pass as the two round off. */
function isMultiple(of: number, value: number): boolean {
  const times = value / of;
  return Math.abs(times - Math.round(times)) <= 2 * Number.EPSILON * Math.abs(times);
}

function boundUrl(ajv: Ajv2020): void {
  const { url } = ajv.formats;
  if (!(url instanceof RegExp)) throw new Error('the format `url` is no pattern any more');
  ajv.addFormat('url', (text: string) => text.length <= URL_MAX && url.test(text));
}

/** Replaces a validator's `uniqueItems`, which compares every entry with every other one. */
export function useLinearUniqueItems(ajv: Ajv2020): void {
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword(uniqueItems);
}

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
