import type { JsonObject } from '#core';
import type { ErrorObject } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';
import { linearPatterns } from './linear-pattern.js';
import { takingReferences } from './secret-schemas.js';
import { useLinearUniqueItems } from './unique-items.js';

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
    // Else a definition would be compiled anew for each reference to it.
    inlineRefs: false,
    code: { regExp: linearPatterns },
  });
  // A CommonJS module: what Node calls its default export is the function itself.
  const addFormats = addFormatsModule as unknown as typeof addFormatsModule.default;
  addFormats(ajv);
  boundUrl(ajv);
  useLinearUniqueItems(ajv);
  return ajv;
}

function boundUrl(ajv: Ajv2020): void {
  const { url } = ajv.formats;
  if (!(url instanceof RegExp)) throw new Error('the format `url` is no pattern any more');
  ajv.addFormat('url', (text: string) => text.length <= URL_MAX && url.test(text));
}
