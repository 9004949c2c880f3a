import { getMetadataStorage } from 'class-validator';
import { isCondition, type Rule, rulesByMember, type Schema, schemaOfRules } from '#class-schema';
import { letsBeAbsent, type Saying } from './decorators.js';

/** The JSON Schema of a body that a class declares. */
export interface BodySchema {
  readonly type: 'object';
  readonly required?: readonly string[];
  readonly additionalProperties: false;
  readonly properties: Readonly<Record<string, Schema>>;
}

/**
 * Rules of class-validator that take exactly what their JSON Schema takes. Of others, such as
 * `@Length`, the schema would say yes to bodies that the class refuses.
 */
const EXACT: ReadonlySet<string> = new Set([
  'arrayMaxSize',
  'arrayMinSize',
  'isArray',
  'isBoolean',
  'isIn',
  'isInt',
  'isNumber',
  'isString',
  'max',
  'min',
]);

/**
 * The JSON Schema of a body: what the rules of its class say, and no other member. Throws where a
 * schema cannot say the same as a rule, unless the rule brings a schema along (`Fits`).
 */
export function schemaOfBody(type: new () => object): BodySchema {
  const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  const members = [...rulesByMember(rules)];
  const required = members.filter(([, rules]) => !rules.some(isCondition)).map(([name]) => name);
  return {
    type: 'object',
    ...(required.length > 0 && { required }),
    additionalProperties: false,
    properties: Object.fromEntries(
      members.map(([name, rules]) => [name, schemaOfMember(rules)] as const),
    ),
  };
}

function schemaOfMember(rules: readonly Rule[]): Schema {
  const brought = rules.map((rule) => {
    const { context, name = '', propertyName, type } = rule;
    const { schema } = (context ?? {}) as Partial<Saying>;
    if (schema !== undefined || EXACT.has(name) || letsBeAbsent(rule)) return schema ?? {};
    throw new Error(`no JSON Schema says the same as ${name || type} of ${propertyName}`);
  });
  return Object.assign(schemaOfRules(rules), ...brought) as Schema;
}
