import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';

/** A JSON Schema as the document has it. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  /** Values of exactly one of these. */
  readonly oneOf?: readonly Schema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly maxProperties?: number;
  readonly pattern?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly propertyNames?: Schema;
  readonly items?: Schema;
}

/** A parameter of an operation. */
export interface Parameter {
  readonly name: string;
  readonly in: 'header' | 'path' | 'query';
  readonly required: boolean;
  readonly schema: Schema;
}

/** The answer of an operation with one status. */
export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, object>>;
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

/** One operation, with where it is. */
export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly operationId: string;
  readonly parameters: readonly Parameter[];
  readonly body?: Schema;
  readonly responses: Readonly<Record<string, Response>>;
}

const shared = new Map<string, ApiDocument>();

/** An OpenAPI document, as a test reads it. */
export class ApiDocument {
  readonly operations: readonly Operation[];
  readonly #schemas: Readonly<Record<string, Schema>>;
  readonly #ajv = new Ajv2020({ strict: false, ownProperties: true });
  readonly #validators = new Map<string, ValidateFunction>();

  /**
   * The document of a text with all of its operations: one in a process, as specs share theirs, and
   * with it what it has compiled.
   */
  static shared(text: string): ApiDocument {
    const found = shared.get(text) ?? new ApiDocument(text, { isWhole: true });
    shared.set(text, found);
    return found;
  }

  /** `isWhole`: with operations that no session of requests plays. Default: without them. */
  constructor(text: string, { isWhole = false }: { readonly isWhole?: boolean } = {}) {
    const { components, paths } = JSON.parse(text) as RawDocument;
    (addFormatsModule as unknown as typeof addFormatsModule.default)(this.#ajv);
    this.#schemas = components.schemas;
    // Known to the compiler by name, each of these is compiled once for all that refer to it.
    for (const form of [open, closed]) {
      this.#ajv.addSchema(local({ $defs: this.#schemas }, form), form.name);
    }
    this.operations = Object.entries(paths).flatMap(([path, methods]) => {
      if (!isWhole && path.startsWith(ACTS_LATER)) return [];
      const played = Object.entries(methods).filter(([, { tags }]) => {
        return isWhole || !tags.includes(NOT_PLAYED);
      });
      return played.map(([method, raw]) => {
        const { parameters = [], requestBody, tags: _tags, ...rest } = raw;
        const body = Object.values(requestBody?.content ?? {})[0]?.schema;
        const responses = Object.fromEntries(
          Object.entries(rest.responses).map(([status, { $ref, ...own }]) => {
            return [status, components.responses[$ref?.split('/').at(-1) ?? ''] ?? own];
          }),
        );
        const shown = { ...rest, responses, method: method.toUpperCase(), path, parameters };
        return body === undefined ? shown : { ...shown, body };
      });
    });
  }

  /** The schema itself, where another one only names it. */
  resolve(schema: Schema): Schema {
    const name = schema.$ref?.split('/').at(-1);
    return name === undefined ? schema : (this.#schemas[name] ?? {});
  }

  /** Violations of the schema in a request's value; empty: none. */
  faults(schema: Schema, value: unknown): readonly unknown[] {
    return this.#validate(schema, value, open);
  }

  /** The same for an answer, where a member that the document does not name is wrong as well. */
  misfits(schema: Schema, value: unknown): readonly unknown[] {
    return this.#validate(schema, value, closed);
  }

  #validate(schema: Schema, value: unknown, form: Form): readonly unknown[] {
    const key = `${form.name} ${JSON.stringify(schema)}`;
    let validate = this.#validators.get(key);
    if (validate === undefined) {
      validate = this.#ajv.compile(local(schema, form));
      this.#validators.set(key, validate);
    }
    return validate(value) ? [] : (validate.errors ?? []);
  }
}

/** Names of keys, and cursors of another log: a schema does not tell which of them are good. */
const NOT_PLAYED = 'access';

/** They act on tasks in the background, while other requests are held against what was there. */
const ACTS_LATER = '/v1/operations';

interface RawDocument {
  readonly components: {
    readonly responses: Readonly<Record<string, Response>>;
    readonly schemas: Readonly<Record<string, Schema>>;
  };
  readonly paths: Readonly<Record<string, Readonly<Record<string, RawOperation>>>>;
}

interface RawOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema: Schema }>> };
  readonly responses: Readonly<Record<string, Response & { readonly $ref?: string }>>;
}

/** A schema of the document, whose references lead to those of a form. */
function local(schema: object, form: Form): object {
  const text = JSON.stringify(form(schema));
  return JSON.parse(text.replaceAll('#/components/schemas/', `${form.name}#/$defs/`)) as object;
}

/** The form of schemas by which a value is judged. */
type Form = (schema: unknown) => unknown;

function open(schema: unknown): unknown {
  return schema;
}

/** Where members are named, there are no others. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const parts = Object.entries(schema).map(([name, part]) => [name, closed(part)] as const);
  const form = Object.fromEntries(parts);
  const isOpen = 'properties' in form && !('additionalProperties' in form);
  return isOpen && form['type'] === 'object' ? { ...form, additionalProperties: false } : form;
}
