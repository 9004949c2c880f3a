import type { JsonObject } from '#core';
import type { ErrorObject } from 'ajv';
import { declaredMembers, impossibleMembers, isExplicit } from './declared-members.js';
import { explain } from './explain.js';
import { clip } from './read-json.js';
import { joinPointer, splitPointer } from './json-pointer.js';
import type { Finding } from './problem.js';
import { compileSchema, FORMATS, isUnknownMember, type Verdict } from './schema-compiler.js';
import { findSchemaFaults } from './schema-faults.js';
import { SchemaReferences } from './schema-references.js';
import { secretsInClear } from './secret-schemas.js';

/** One thing that is wrong with the parameters of a request. */
export interface InputProblem {
  /** RFC 6901 pointer into the parameters; a missing member has the pointer it should have. */
  readonly pointer: string;
  readonly message: string;
  readonly hint?: string;
}

/** More than a person mends at once. */
const PROBLEMS_MAX = 20;

/**
 * Most steps that looking for further problems may take, each of which may find one. Beyond it only
 * the first problem is told.
 */
const EXPLAINING_MAX = 200_000;

/** Compiled schemas that are kept. */
const CHECKS_MAX = 500;

/** The faults of a flow's `input` as a JSON Schema; pointers are into the schema. */
export function checkInputSchema(schema: JsonObject): readonly Finding[] {
  const faults = findSchemaFaults(schema, FORMATS);
  if (faults.length > 0) return faults;
  return new InputCheck(schema).work === Infinity ? [UNUSABLE] : [];
}

/** Warnings to the author of an `input` that is usable. */
export function inputWarnings(schema: JsonObject): readonly Finding[] {
  const warnings = [
    ...impossibleMembers(schema).map(impossibleMember),
    ...secretsInClear(schema).map(secretInClear),
  ];
  return warnings.slice(0, PROBLEMS_MAX);
}

/** Checks parameters against a flow's `input`. Never throws. */
export function validateAgainst(schema: JsonObject, parameters: unknown): readonly InputProblem[] {
  return inputCheck(schema).findProblems(parameters);
}

/** Compiled checks by schema object: the schema of a version is compiled once, then only run. */
const checks = new Map<JsonObject, InputCheck>();

/** The check of a schema: compiled at the first call, and kept while there are not too many. */
export function inputCheck(schema: JsonObject, subject?: string): InputCheck {
  const known = checks.get(schema);
  if (known !== undefined) return known;
  const check = new InputCheck(schema, subject);
  const [oldest] = checks.keys();
  if (checks.size === CHECKS_MAX && oldest !== undefined) checks.delete(oldest);
  checks.set(schema, check);
  return check;
}

/** The check of values that one schema makes: of parameters, or of outputs. */
export class InputCheck {
  /** Most steps for each character, name and entry of the parameters; infinite: unusable. */
  readonly work: number;
  readonly #schema: JsonObject;
  readonly #subject: string;
  readonly #isClosed: boolean;
  readonly #firstProblem: Verdict | null;
  #allProblems: Verdict | null = null;

  /** `subject`: the value itself, worded to begin a sentence. */
  constructor(schema: JsonObject, subject = 'The parameters') {
    this.#schema = schema;
    this.#subject = subject;
    this.#isClosed = !isExplicit(schema);
    this.#firstProblem = this.#compile(false);
    this.work = this.#firstProblem === null ? Infinity : new SchemaReferences(schema).work();
  }

  /** The problems of parameters. Never throws. */
  findProblems(parameters: unknown): readonly InputProblem[] {
    try {
      if (this.#firstProblem === null) return [UNUSABLE_INPUT];
      const errors = this.#firstProblem(parameters);
      if (errors.length === 0) return [];
      return this.#toProblems(this.#canExplain(parameters) ? this.#explain(parameters) : errors);
    } catch {
      return [UNUSABLE_INPUT];
    }
  }

  #canExplain(parameters: unknown): boolean {
    const sizeMax = EXPLAINING_MAX / this.work;
    return measure(parameters, sizeMax) <= sizeMax;
  }

  #explain(parameters: unknown): readonly ErrorObject[] {
    this.#allProblems ??= this.#compile(true);
    return this.#allProblems?.(parameters) ?? [];
  }

  #compile(allErrors: boolean): Verdict | null {
    try {
      return compileSchema(this.#schema, { allErrors, closed: this.#isClosed });
    } catch {
      return null;
    }
  }

  /** Values of parameters are never quoted: some are secret. */
  #toProblems(errors: readonly ErrorObject[]): readonly InputProblem[] {
    const problems: InputProblem[] = [];
    const declared = declaredMembers(this.#schema);
    const others = errors.filter((error) => !isUnknownMember(error));
    const wrong = new Set(others.map(({ instancePath }) => splitPointer(instancePath)[0]));
    for (const error of withoutBranches(errors)) {
      if (problems.length === PROBLEMS_MAX) break;
      const isUnknown = this.#isClosed && isUnknownMember(error);
      // A member is also unknown to a choice or pattern that was refused, which is said already.
      const name = isUnknown && others.length > 0 ? unknownName(error) : null;
      if (name !== null && (declared.has(name) || wrong.has(name))) continue;
      const problem = this.#toProblem(isUnknown ? knowing(declared, error) : error);
      if (problem !== null) problems.push(problem);
    }
    return problems;
  }

  #toProblem(error: ErrorObject): InputProblem | null {
    const subjectOf = (pointer: string): string => subjectAt(pointer, this.#subject);
    const found = explain(error, { root: this.#schema, subjectOf, hint: '', isOurs: false });
    if (found === null) return null;
    const { missingProperty: missing } = error.params as { missingProperty?: string };
    const { hint } = found;
    const pointer = missing === undefined ? found.pointer : joinPointer(found.pointer, missing);
    const message = missing === undefined ? found.message : `\`${clip(missing)}\` is missing.`;
    return { pointer, message, ...(hint !== '' && { hint }) };
  }
}

function unknownName(error: ErrorObject): string {
  return (error.params as { unevaluatedProperty: string }).unevaluatedProperty;
}

/** The error with the names that may have been meant. */
function knowing(declared: ReadonlySet<string>, error: ErrorObject): ErrorObject {
  const properties = Object.fromEntries([...declared].map((name) => [name, true]));
  return { ...error, parentSchema: { properties } };
}

/**
 * Where no branch of a choice fits, that is said once, not what each branch would have liked. The
 * errors of its branches stand right before that of the choice.
 */
function withoutBranches(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const kept: ErrorObject[] = [];
  let choice: ErrorObject | null = null;
  for (const error of errors.toReversed()) {
    const { instancePath, keyword, schemaPath } = error;
    const isBranch =
      choice !== null &&
      schemaPath.startsWith(`${choice.schemaPath}/`) &&
      instancePath.startsWith(choice.instancePath);
    if (isBranch) continue;
    if (keyword === 'anyOf' || keyword === 'oneOf') choice = error;
    kept.push(error);
  }
  return kept.toReversed();
}

function subjectAt(pointer: string, whole: string): string {
  const path = splitPointer(pointer);
  return path.length === 0 ? whole : `\`${clip(path.join('.'))}\``;
}

const UNUSABLE: Finding = {
  pointer: '',
  code: 'WRONG_INPUT_SCHEMA',
  message: 'The schema in `input` cannot be used.',
  hint: 'Check that it does not refer to itself without end.',
};

const UNUSABLE_INPUT: InputProblem = {
  pointer: '',
  message: UNUSABLE.message,
  hint: UNUSABLE.hint,
};

function secretInClear(pointer: string): Finding {
  const message = 'Whoever may read the flow reads the value of a secret here.';
  const hint = 'Remove it: a request sends the secret, or says where it is kept.';
  return { pointer, code: 'SECRET_IN_CLEAR', message, hint };
}

function impossibleMember(name: string): Finding {
  const message = `\`${clip(name)}\` is required, but no \`properties\` declare it: no request fits.`;
  const hint = `Add "${clip(name)}" to \`properties\`, or write "additionalProperties": true.`;
  return { pointer: '/required', code: 'UNDECLARED_MEMBER', message, hint };
}

/** Characters, names and entries of a value; more than `max` where there are more than that. */
export function measure(value: unknown, max: number): number {
  if (typeof value === 'string') return value.length + 1;
  if (typeof value !== 'object' || value === null) return 1;
  let size = 1;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length && size <= max; i += 1) size += measure(value[i], max - size);
    return size;
  }
  const members = value as Readonly<Record<string, unknown>>;
  for (const name in members) {
    if (size > max) break;
    size += name.length + measure(members[name], max - size);
  }
  return size;
}
