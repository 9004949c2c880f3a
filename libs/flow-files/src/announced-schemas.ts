import type { JsonObject } from '#core';
import { isExplicit } from './declared-members.js';
import type { Finding } from './problem.js';
import { FORMATS } from './schema-compiler.js';
import { findSchemaFaults } from './schema-faults.js';

/** Most values that are kept of schemas. */
const KEPT_MAX = 500;

/** A value that is made of a schema once for each text: executors repeat what they announce. */
export class OncePerSchema<Made extends object> {
  readonly #bySchema = new WeakMap<JsonObject, Made>();
  readonly #byText = new Map<string, Made>();

  constructor(private readonly make: (schema: JsonObject) => Made) {}

  /** The value of a schema. Throws what making it throws. */
  of(schema: JsonObject): Made {
    const known = this.#bySchema.get(schema);
    if (known !== undefined) return known;
    const text = JSON.stringify(schema);
    let made = this.#byText.get(text);
    if (made === undefined) {
      made = this.make(schema);
      if (this.#byText.size === KEPT_MAX) this.#byText.clear();
      this.#byText.set(text, made);
    }
    this.#bySchema.set(schema, made);
    return made;
  }
}

/**
 * The faults of a schema that an executor declares for an output; pointers are into the schema. It
 * is compiled when there is a first output to check.
 */
export function faultsOfOutputSchema(schema: JsonObject): readonly Finding[] {
  return findSchemaFaults(schema, FORMATS);
}

const declared = new OncePerSchema((schema) => {
  return isExplicit(schema) ? schema : { ...schema, additionalProperties: true };
});

/**
 * The schema of an output as JSON Schema means it: other members are taken, unless it says
 * otherwise. The same object for the same schema, so that it is compiled once.
 */
export function asDeclared(schema: JsonObject): JsonObject {
  return declared.of(schema);
}
