/** Keywords whose schemas are about the same value as the schema itself. */
export const IN_PLACE: readonly string[] = ['if', 'then', 'else'];
export const LISTS_IN_PLACE: readonly string[] = ['allOf', 'anyOf', 'oneOf'];

/** Keywords whose members are schemas, by names of their own. */
export const BY_NAME: ReadonlySet<string> = new Set([
  '$defs',
  'dependentSchemas',
  'patternProperties',
  'properties',
]);

/** Keywords that are schemas, or lists of some, of values that can be secret. */
export const SCHEMAS: ReadonlySet<string> = new Set([
  ...IN_PLACE,
  ...LISTS_IN_PLACE,
  'additionalProperties',
  'contains',
  'items',
  'prefixItems',
  'unevaluatedItems',
  'unevaluatedProperties',
]);
