import type { JsonObject } from '#core';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';
import { explain, type SchemaNode } from './explain.js';
import { clip } from './json-document.js';
import { joinPointer, splitPointer } from './json-pointer.js';
import type { Finding } from './problem.js';
import { findSchemaFaults } from './schema-faults.js';

/** One thing that is wrong with the parameters of a request. */
export interface InputProblem {
  /** RFC 6901 pointer into the parameters; a missing member has the pointer it should have. */
  readonly pointer: string;
  readonly message: string;
  readonly hint?: string;
}

/** More than a client shows at once. */
const PROBLEMS_MAX = 100;

/** A compiler keeps a little of every schema it compiled, so it is replaced after this many. */
const SCHEMAS_PER_COMPILER = 100;

/** What is wrong with a flow's `input` as a JSON Schema; pointers are into the schema. */
export function checkInputSchema(schema: JsonObject): readonly Finding[] {
  const faults = findSchemaFaults(schema, FORMATS);
  if (faults.length > 0) return faults;
  try {
    // Run once as well: a schema that refers to nothing but itself never comes to an end.
    compile(schema)({});
    return [];
  } catch {
    return [UNUSABLE];
  }
}

/** Checks parameters against a flow's `input`. Never throws. */
export function validateAgainst(schema: JsonObject, parameters: unknown): readonly InputProblem[] {
  try {
    const validate = compile(schema);
    if (validate(parameters)) return [];
    return toInputProblems(validate, schema);
  } catch {
    const { message, hint } = UNUSABLE;
    return [{ pointer: '', message, hint }];
  }
}

/** Compiled checks by schema object: the schema of a version is compiled once, then only run. */
const compiled = new WeakMap<JsonObject, ValidateFunction>();

let compiler = createCompiler();
let compilations = 0;

const FORMATS: readonly string[] = Object.keys(compiler.formats);

function compile(schema: JsonObject): ValidateFunction {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  if (compilations === SCHEMAS_PER_COMPILER) {
    compiler = createCompiler();
    compilations = 0;
  }
  compilations += 1;
  const validate = compiler.compile(schema);
  compiled.set(schema, validate);
  return validate;
}

function createCompiler(): Ajv2020 {
  const ajv = new Ajv2020({
    allErrors: true,
    verbose: true,
    // Faults of schemas are found, in plain words, before a schema gets here.
    strict: false,
    logger: false,
    // Else `required: ["constructor"]` would always hold.
    ownProperties: true,
  });
  // A CommonJS module: what Node calls its default export is the function itself.
  const addFormats = addFormatsModule as unknown as typeof addFormatsModule.default;
  addFormats(ajv);
  return ajv;
}

/** Values of parameters are never quoted: some are secret. */
function toInputProblems(validate: ValidateFunction, root: SchemaNode): readonly InputProblem[] {
  const problems: InputProblem[] = [];
  for (const error of withoutBranches(validate.errors ?? []).slice(0, PROBLEMS_MAX)) {
    const found = explain(error, { root, subjectOf, hint: '', isOurs: false });
    if (found === null) continue;
    const { missingProperty: missing } = error.params as { missingProperty?: string };
    const { hint } = found;
    const pointer = missing === undefined ? found.pointer : joinPointer(found.pointer, missing);
    const message = missing === undefined ? found.message : `\`${clip(missing)}\` is missing.`;
    problems.push({ pointer, message, ...(hint !== '' && { hint }) });
  }
  return problems;
}

/** Where no branch of a choice fits, that is said once, not what each branch would have liked. */
function withoutBranches(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const choices = errors.filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf');
  return errors.filter(({ schemaPath, instancePath }) => {
    return !choices.some((choice) => {
      const isBranch = schemaPath.startsWith(`${choice.schemaPath}/`);
      return isBranch && instancePath.startsWith(choice.instancePath);
    });
  });
}

function subjectOf(pointer: string): string {
  const path = splitPointer(pointer);
  return path.length === 0 ? 'The parameters' : `\`${clip(path.join('.'))}\``;
}

const UNUSABLE: Finding = {
  pointer: '',
  code: 'WRONG_INPUT_SCHEMA',
  message: 'The schema in `input` cannot be used.',
  hint: 'Check that it does not refer to itself without end.',
};
