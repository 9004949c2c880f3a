import type { ErrorObject } from 'ajv';
import { isExpression } from '#expressions';

import { clip } from './read-json.js';
import { joinPointer, splitPointer } from './json-pointer.js';
import { nearNameHint } from './near-name-hint.js';
import type { Finding, ProblemCode } from './problem.js';
import { isOtherKindFault, lonelyMember, misplacedMember, wrongChoice } from './step-kinds.js';

/** The keywords of a schema from which the text of an error is made. */
export interface SchemaNode {
  readonly title?: string;
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly type?: string | readonly string[];
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, SchemaNode>>;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
}

/** An error of the validator with what its words are made of. */
interface Fault {
  readonly error: ErrorObject;
  readonly pointer: string;
  /** The faulty part, worded to begin a sentence: `timeout`, entry 2 of `needs`. */
  readonly subject: string;
  readonly schema: SchemaNode;
  readonly root: SchemaNode;
  /** The keyword's value, such as the limit of `minimum`. */
  readonly limit: unknown;
  readonly isOurs: boolean;
}

interface Words {
  readonly code: ProblemCode;
  readonly message: string;
  readonly hint?: string;
  /** A member of the value at fault, where it is at fault by its name. */
  readonly member?: string;
}

/** How the caller names things: what a pointer points at, and the schema errors were found with. */
interface Naming {
  readonly root: SchemaNode;
  readonly subjectOf: (pointer: string) => string;
  /** Used where the schema says nothing better. */
  readonly hint: string;
  /** Our own schema: titles complete sentences, and nothing it checks is secret. */
  readonly isOurs: boolean;
}

/** Puts a validator's error into plain words; null: another error says the same more precisely. */
export function explain(error: ErrorObject, naming: Naming): Finding | null {
  if (isSaidElsewhere(error, naming.isOurs)) return null;
  const pointer = error.instancePath;
  const fault: Fault = {
    error,
    pointer,
    subject: naming.subjectOf(pointer),
    schema: (error.parentSchema ?? {}) as SchemaNode,
    root: naming.root,
    limit: error.schema,
    isOurs: naming.isOurs,
  };
  const words = wordsFor(fault);
  const { code, message, hint = hintOf(fault) ?? naming.hint, member } = words;
  if (member === undefined) return { pointer, code, message, hint };
  return { pointer: joinPointer(pointer, member), at: 'name', code, message, hint };
}

/** Whether another error says the same more precisely. */
export function isSaidElsewhere(error: ErrorObject, isOurs: boolean): boolean {
  return REPEATING.has(error.keyword) || (isOurs && isOtherKindFault(error));
}

function wordsFor(fault: Fault): Words {
  const { error, isOurs, subject } = fault;
  if (error.propertyName !== undefined) return explainName(fault);
  if (isOurs) {
    // Ours have these to say which members exclude each other, and which belong to each other.
    if (error.keyword === 'oneOf') return wrongChoice(error, subject);
    if (error.keyword === 'anyOf') return misplacedMember(error, subject);
    const lonely = error.keyword === 'dependentRequired' ? lonelyMember(error, subject) : null;
    if (lonely !== null) return lonely;
  }
  return (EXPLAINERS.get(error.keyword) ?? explainOther)(fault);
}

/** Errors that only announce the errors beside them. */
const REPEATING: ReadonlySet<string> = new Set(['if', 'propertyNames']);

const EXPLAINERS: ReadonlyMap<string, (fault: Fault) => Words> = new Map([
  ['type', explainType],
  ['required', explainRequired],
  ['dependentRequired', explainRequired],
  ['additionalProperties', explainUnknown],
  ['unevaluatedProperties', explainUnknown],
  ['enum', explainEnum],
  ['const', explainEnum],
  ['pattern', explainPattern],
  ['not', explainPattern],
  ['minimum', explainRange('must be at least')],
  ['maximum', explainRange('must be at most')],
  ['exclusiveMinimum', explainRange('must be more than')],
  ['exclusiveMaximum', explainRange('must be less than')],
  ['multipleOf', explainRange('must be a multiple of')],
  ['minLength', explainCount('must have at least', 'letters')],
  ['maxLength', explainCount('must have at most', 'letters')],
  ['minItems', explainCount('must have at least', 'entries')],
  ['maxItems', explainCount('must have at most', 'entries')],
  ['minProperties', explainCount('must have at least', 'members')],
  ['maxProperties', explainCount('must have at most', 'members')],
  ['format', explainFormat],
  ['uniqueItems', explainUniqueItems],
]);

function explainType({ error, subject, schema, isOurs }: Fault): Words {
  const types = [schema.type ?? 'object'].flat().map((type) => TYPE_WORDS[type] ?? type);
  const expected = (isOurs ? schema.title : undefined) ?? types.join(' or ');
  const message = `${subject} must be ${expected}, but is ${kindOf(error.data)}.`;
  return { code: 'WRONG_TYPE', message };
}

function explainRequired({ error, subject, schema, root }: Fault): Words {
  const missing = (error.params as { missingProperty: string }).missingProperty;
  const hint = schemaHint(memberSchema(schema, missing, root), missing);
  const message = `${subject} lacks \`${clip(missing)}\`.`;
  return { code: 'MISSING_MEMBER', message, hint: hint ?? `Add \`${clip(missing)}\`.` };
}

function explainUnknown({ error, schema, subject }: Fault): Words {
  const params = error.params as { additionalProperty?: string; unevaluatedProperty?: string };
  const member = params.additionalProperty ?? params.unevaluatedProperty ?? '';
  const hint = nearNameHint(member, Object.keys(schema.properties ?? {}));
  const message = `${subject} cannot have a member \`${clip(member)}\`.`;
  return { code: 'UNKNOWN_MEMBER', message, hint, member };
}

function explainEnum({ error, subject, limit }: Fault): Words {
  const allowed = [limit].flat().map((value) => clip(JSON.stringify(value)));
  const near = typeof error.data === 'string' ? [limit].flat().filter(isText) : [];
  const hint = near.length > 0 ? nearNameHint(error.data as string, near) : undefined;
  const message = `${subject} must be ${allowed.slice(0, 12).join(' or ')}.`;
  return { code: 'WRONG_VALUE', message, ...(hint !== undefined && { hint }) };
}

function explainPattern(fault: Fault): Words {
  const { subject, schema, isOurs } = fault;
  if (schema.title === undefined || !isOurs) {
    return { code: 'WRONG_VALUE', message: `${subject} does not have the form it must have.` };
  }
  if (isExpression(fault.error.data) && !schema.title.includes('expression')) {
    const message = `${subject} must be ${schema.title}, and cannot be an expression.`;
    return { code: 'EXPRESSION_NOT_ALLOWED', message };
  }
  const code = PATTERN_CODES.get(schema.title) ?? 'WRONG_VALUE';
  const hint = schema.description ?? hintOf(fault);
  const message = `${subject} must be ${schema.title}, but is ${quote(fault.error.data)}.`;
  return { code, message, ...(hint !== undefined && { hint }) };
}

/** By the title of our schema. */
const PATTERN_CODES: ReadonlyMap<string, ProblemCode> = new Map([
  ['a name', 'WRONG_NAME'],
  ['a duration', 'WRONG_DURATION'],
  ['a duration, or null for no limit', 'WRONG_DURATION'],
  ['a duration or an expression', 'WRONG_DURATION'],
  ['a moment or an expression', 'WRONG_MOMENT'],
  ['an expression, or true or false', 'WRONG_EXPRESSION'],
  ['an expression, or a list', 'WRONG_EXPRESSION'],
  ['an expression', 'WRONG_EXPRESSION'],
  ['a code of errors', 'WRONG_NAME'],
  ['a code of errors, or "*"', 'WRONG_NAME'],
]);

/** The name of a member breaks the rule for names. */
function explainName({ error, schema }: Fault): Words {
  const member = error.propertyName ?? '';
  const message = `\`${clip(member)}\` is not a name that is allowed here.`;
  const hint = schema.description ?? 'Give it another name.';
  return { code: 'WRONG_NAME', message, hint, member };
}

function explainRange(demand: string): (fault: Fault) => Words {
  return ({ subject, limit }) => {
    return { code: 'OUT_OF_RANGE', message: `${subject} ${demand} ${String(limit)}.` };
  };
}

function explainCount(demand: string, things: string): (fault: Fault) => Words {
  return ({ error, subject, limit, schema }) => {
    const isSteps = schema.title?.startsWith('a list of steps') ?? false;
    const message = `${subject} ${demand} ${String(limit)} ${isSteps ? 'steps' : things}.`;
    if (!isSteps) return { code: 'OUT_OF_RANGE', message };
    if (error.keyword === 'maxItems') return { code: 'TOO_MANY_STEPS', message, hint: SPLIT };
    return { code: 'NO_STEPS', message: `${subject} has no steps.` };
  };
}

const SPLIT = 'Split it into several flows.';

function explainFormat({ subject, limit }: Fault): Words {
  return { code: 'WRONG_VALUE', message: `${subject} is not written as ${String(limit)}.` };
}

function explainUniqueItems({ error, subject, schema }: Fault): Words {
  const { i, j } = error.params as { i: number; j: number };
  const [first, second] = i < j ? [i, j] : [j, i];
  const message = `${subject} has the same entry twice: ${first + 1} and ${second + 1}.`;
  const code = schema.title === 'a list of step names' ? 'DUPLICATE_NEED' : 'WRONG_VALUE';
  return { code, message, hint: 'Remove one of the two.' };
}

function explainOther({ error, subject }: Fault): Words {
  if (error.keyword === 'false schema') {
    return { code: 'UNKNOWN_MEMBER', message: `${subject} must not be there.` };
  }
  const isChoice = error.keyword === 'anyOf' || error.keyword === 'oneOf';
  const fault = isChoice ? 'has none of the forms it may have' : 'has a value that is not allowed';
  return { code: 'WRONG_VALUE', message: `${subject} ${fault}.` };
}

/** Advice on what to write instead, from the schema that was violated. */
function hintOf({ schema, pointer }: Fault): string | undefined {
  const last = splitPointer(pointer).at(-1);
  return schemaHint(schema, last === undefined || /^\d+$/.test(last) ? null : last);
}

function schemaHint(schema: SchemaNode | undefined, member: string | null): string | undefined {
  const example = schema?.examples?.[0];
  if (example === undefined) return schema?.description;
  const name = member === null ? '' : `${JSON.stringify(member)}: `;
  return `Write for example ${name}${JSON.stringify(example)}.`;
}

function memberSchema(schema: SchemaNode, name: string, root: SchemaNode): SchemaNode | undefined {
  const found = Object.hasOwn(schema.properties ?? {}, name)
    ? schema.properties?.[name]
    : undefined;
  const target = /^#\/\$defs\/(\w+)$/.exec(found?.$ref ?? '')?.[1];
  return target === undefined ? found : { ...root.$defs?.[target], ...found };
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  integer: 'a whole number',
  null: 'null',
  number: 'a number',
  object: 'an object',
  string: 'text',
};

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'boolean') return String(value);
  return TYPE_WORDS[typeof value] ?? typeof value;
}

function quote(value: unknown): string {
  return clip(JSON.stringify(value) ?? kindOf(value));
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
