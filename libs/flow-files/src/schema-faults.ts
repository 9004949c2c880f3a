import type { JsonObject, JsonValue } from '#core';
import { misplacedSecrets } from '#core/secrets';
import { clip, isObject } from './read-json.js';
import { joinPointer } from './json-pointer.js';
import { isLinearPattern, patternSize } from './linear-pattern.js';
import { nearNameHint } from './near-name-hint.js';
import { PROBLEMS_MAX, type Finding } from './problem.js';
import { SchemaReferences, unknownTarget } from './schema-references.js';

/** The permitted shape of the value of a JSON Schema keyword. */
type Shape =
  | 'any'
  | 'boolean'
  | 'count'
  | 'format'
  | 'list'
  | 'number'
  | 'pattern'
  | 'positive'
  | 'reference'
  | 'schema'
  | 'schemas'
  | 'schemasByName'
  | 'schemasByPattern'
  | 'text'
  | 'texts'
  | 'textsByName'
  | 'types';

/**
 * The keywords of JSON Schema 2020-12 that a flow's input may use. `$id` is not among them: each
 * input stands alone, and could otherwise clash with another flow's.
 */
const KEYWORDS: ReadonlyMap<string, Shape> = new Map(
  Object.entries({
    any: 'const default',
    boolean: 'deprecated readOnly secret uniqueItems writeOnly',
    count:
      'maxContains maxItems maxLength maxProperties minContains minItems minLength minProperties',
    format: 'format',
    list: 'enum examples',
    number: 'exclusiveMaximum exclusiveMinimum maximum minimum',
    pattern: 'pattern',
    positive: 'multipleOf',
    schema:
      'additionalProperties contains else if items not propertyNames then unevaluatedItems' +
      ' unevaluatedProperties',
    schemas: 'allOf anyOf oneOf prefixItems',
    schemasByName: '$defs dependentSchemas properties',
    schemasByPattern: 'patternProperties',
    reference: '$ref',
    text: '$comment $schema description title',
    texts: 'required',
    textsByName: 'dependentRequired',
    types: 'type',
  } satisfies Record<Shape, string>).flatMap(([shape, keywords]) =>
    keywords.split(' ').map((keyword) => [keyword, shape as Shape] as const),
  ),
);

const TYPES = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];

/** Most values inside one `input`, without descriptions and examples: compiling more takes long. */
const VALUES_MAX = 1_500;

/** Most instructions of all patterns of one `input`: compiling more takes long. */
const INSTRUCTIONS_MAX = 20_000;

/** Longest name of a member inside one `input`. */
const NAME_MAX = 1_000;

/** Keywords that describe a schema to readers; they are not compiled. */
const FOR_READERS: ReadonlySet<string> = new Set(['default', 'examples', 'title', 'description']);

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/** Looks through a schema for what the author got wrong; `formats` are the known ones. */
export function findSchemaFaults(
  schema: JsonObject,
  formats: readonly string[],
): readonly Finding[] {
  if (!isWithin(schema, VALUES_MAX)) return [TOO_LARGE];
  const search = new FaultSearch(formats, new SchemaReferences(schema));
  search.checkSchema(schema, '');
  const { type, $schema } = schema;
  if (type !== undefined && ![type].flat().includes('object')) {
    search.add('/type', 'The schema is about an object.', 'Write "type": "object".');
  }
  if ($schema !== undefined && $schema !== DIALECT) {
    search.add('/$schema', 'Only JSON Schema 2020-12 is understood.', 'Remove `$schema`.');
  }
  if (search.findings.length > 0) return search.findings;
  const fault = search.references.findFault();
  return fault === null ? misplacedSecrets(schema).map(misplaced) : [fault];
}

/** Whether a schema holds no more values than that; what is for readers does not count. */
function isWithin(schema: JsonObject, max: number): boolean {
  const open: JsonValue[] = [schema];
  let count = 0;
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    count += 1;
    if (count + open.length > max) return false;
    if (Array.isArray(value)) open.push(...(value.length > max ? value.slice(0, max) : value));
    else if (isObject(value)) open.push(...compiledParts(value, max));
  }
  return true;
}

function compiledParts(schema: JsonObject, max: number): readonly JsonValue[] {
  const parts: JsonValue[] = [];
  for (const [keyword, value = null] of Object.entries(schema)) {
    // A member of `properties` may be called `title` too: then its value is an object.
    if (keyword.length > NAME_MAX) return Array.from({ length: max + 1 }, () => null);
    const isForReaders = FOR_READERS.has(keyword) && !isObject(value);
    if (!isForReaders && parts.length <= max) parts.push(value);
  }
  return parts;
}

function misplaced(pointer: string): Finding {
  const message =
    '`secret` cannot work here: it is about no value of a request that can be sealed.';
  const hint = 'Write "secret": true in the schema of each member that is secret.';
  return { pointer, code: 'MISPLACED_SECRET', message, hint };
}

class FaultSearch {
  readonly findings: Finding[] = [];
  readonly references: SchemaReferences;
  readonly #formats: readonly string[];
  #instructions = 0;

  constructor(formats: readonly string[], references: SchemaReferences) {
    this.#formats = formats;
    this.references = references;
  }

  add(pointer: string, message: string, hint: string): void {
    this.report({ pointer, code: 'WRONG_INPUT_SCHEMA', message, hint });
  }

  report(finding: Finding): void {
    if (this.findings.length < PROBLEMS_MAX) this.findings.push(finding);
  }

  checkSchema(schema: JsonValue, pointer: string): void {
    if (typeof schema === 'boolean' && pointer !== '') return;
    if (!isObject(schema)) return this.#mustBe(pointer, 'a schema', '{"type": "string"}');
    for (const [keyword, value] of Object.entries(schema)) {
      const shape = KEYWORDS.get(keyword);
      const at = joinPointer(pointer, keyword);
      if (shape !== undefined) this.#checkValue(shape, value ?? null, at);
      else {
        const message = `\`${clip(keyword)}\` is not a keyword of JSON Schema that works here.`;
        const hint = nearNameHint(keyword, [...KEYWORDS.keys()]);
        this.report({ pointer: at, at: 'name', code: 'WRONG_INPUT_SCHEMA', message, hint });
      }
    }
  }

  #checkValue(shape: Shape, value: JsonValue, pointer: string): void {
    const plain = PLAIN_SHAPES.get(shape);
    if (plain !== undefined) {
      if (!plain.holds(value)) this.#mustBe(pointer, plain.is, plain.example);
    } else if (shape === 'schema') this.checkSchema(value, pointer);
    else if (shape === 'schemas') this.#checkSchemas(value, pointer);
    else if (shape === 'types') this.#checkTypes(value, pointer);
    else if (shape === 'pattern') this.#checkPattern(value, pointer);
    else if (shape === 'reference' && typeof value === 'string') {
      if (!this.references.has(value)) this.report(unknownTarget(value, pointer));
    } else if (shape === 'reference') this.#mustBe(pointer, 'text', '"#/$defs/size"');
    else if (shape === 'format') this.#checkFormat(value, pointer);
    else this.#checkByName(shape, value, pointer);
  }

  #checkSchemas(value: JsonValue, pointer: string): void {
    if (!Array.isArray(value) || value.length === 0) {
      return this.#mustBe(pointer, 'a list of schemas', '[{"type": "string"}]');
    }
    value.forEach((each, i) => this.checkSchema(each, joinPointer(pointer, i)));
  }

  #checkByName(shape: Shape, value: JsonValue, pointer: string): void {
    if (!isObject(value)) return this.#mustBe(pointer, 'an object', '{"cpu": {"minimum": 1}}');
    for (const [name, part = null] of Object.entries(value)) {
      const at = joinPointer(pointer, name);
      if (shape === 'schemasByPattern') this.#checkPattern(name, at);
      if (shape === 'textsByName') this.#checkValue('texts', part, at);
      else this.checkSchema(part, at);
    }
  }

  #checkTypes(value: JsonValue, pointer: string): void {
    const types: readonly JsonValue[] = Array.isArray(value) ? value : [value];
    const wrong = types.find((type) => !TYPES.includes(type as string));
    if (wrong === undefined && types.length > 0) return;
    const named = typeof wrong === 'string' ? `\`${clip(wrong)}\`` : 'This';
    this.add(pointer, `${named} is not a type.`, nearNameHint(textOf(wrong ?? []), TYPES));
  }

  #checkPattern(value: JsonValue, pointer: string): void {
    if (typeof value !== 'string' || !isLinearPattern(value)) {
      return this.#mustBe(pointer, PATTERN, '"^[a-z]+$"');
    }
    const before = this.#instructions;
    this.#instructions += patternSize(value);
    if (this.#instructions <= INSTRUCTIONS_MAX || before > INSTRUCTIONS_MAX) return;
    this.add(pointer, 'The patterns up to this one are too large.', 'Write smaller patterns.');
  }

  #checkFormat(value: JsonValue, pointer: string): void {
    if (typeof value === 'string' && this.#formats.includes(value)) return;
    const hint = nearNameHint(textOf(value), this.#formats);
    this.add(pointer, `\`${clip(textOf(value))}\` is not a known format.`, hint);
  }

  #mustBe(pointer: string, what: string, example: string): void {
    const last = pointer === '' ? 'input' : pointer.slice(pointer.lastIndexOf('/') + 1);
    this.add(pointer, `\`${clip(last)}\` must be ${what}.`, `Write for example ${example}.`);
  }
}

const PATTERN =
  'a regular expression that JavaScript and RE2 both know (no look-ahead, no back reference)' +
  ' and that repeats nothing too often';

const TOO_LARGE: Finding = {
  pointer: '',
  code: 'WRONG_INPUT_SCHEMA',
  message: `The schema holds more than ${VALUES_MAX} values, or a name of over ${NAME_MAX} letters.`,
  hint: 'Check less of the parameters.',
};

interface PlainShape {
  readonly is: string;
  readonly example: string;
  readonly holds: (value: JsonValue) => boolean;
}

const isText = (value: JsonValue): boolean => typeof value === 'string';
const isNumber = (value: JsonValue): boolean => typeof value === 'number';

/** Shapes that hold no schemas. */
const PLAIN_SHAPES: ReadonlyMap<Shape, PlainShape> = new Map<Shape, PlainShape>([
  ['any', { is: 'anything', example: '1', holds: () => true }],
  ['boolean', { is: 'true or false', example: 'true', holds: (v) => typeof v === 'boolean' }],
  [
    'count',
    { is: 'a whole number', example: '1', holds: (v) => Number.isInteger(v) && Number(v) >= 0 },
  ],
  ['list', { is: 'a list with entries', example: '["a"]', holds: isFilledList }],
  ['number', { is: 'a number', example: '1', holds: isNumber }],
  [
    'positive',
    { is: 'a number above 0', example: '1', holds: (v) => isNumber(v) && Number(v) > 0 },
  ],
  ['text', { is: 'text', example: '"text"', holds: isText }],
  ['texts', { is: 'a list of different names', example: '["cpu"]', holds: isListOfNames }],
]);

function textOf(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function isFilledList(value: JsonValue): boolean {
  return Array.isArray(value) && value.length > 0;
}

function isListOfNames(value: JsonValue): boolean {
  return Array.isArray(value) && value.every(isText) && new Set(value).size === value.length;
}
