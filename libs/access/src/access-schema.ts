import { type Role, ROLES } from '#ports';
import { NAME_PATTERN } from './pattern.js';
import type { Binding, Way } from './bindings.js';

/** A binding as a file has it that fits the schema: it has a subject or a group. */
interface WrittenBinding {
  readonly subject?: string;
  readonly group?: string;
  readonly by?: Way;
  readonly role: Role;
  readonly where?: {
    readonly flows?: readonly string[];
    readonly labels?: Readonly<Record<string, string>>;
    readonly modules?: readonly string[];
  };
}

/** A file of bindings that fits `accessFileSchema`. */
export interface WrittenAccess {
  readonly bindings: readonly WrittenBinding[];
}

/** Most bindings of a file: each request without a key goes through them. */
const BINDINGS_MAX = 1_000;

const names = (what: string) => ({
  title: what,
  type: 'array',
  minItems: 1,
  maxItems: 50,
  items: { type: 'string', pattern: NAME_PATTERN, title: 'a name, in which * stands for any text' },
});

const pattern = { type: 'string', minLength: 1, maxLength: 500 };

const binding = {
  type: 'object',
  additionalProperties: false,
  required: ['role'],
  oneOf: [{ required: ['subject'] }, { required: ['group'] }],
  properties: {
    subject: {
      ...pattern,
      description:
        'The `sub` of a token, or the name in a certificate or from a proxy; * stands for any text.',
      examples: ['spiffe://prod/ns/payments/*'],
    },
    group: {
      ...pattern,
      description:
        'A value of the roles claim of a token, or a group from a proxy; * stands for any text.',
      examples: ['sre'],
    },
    by: {
      description:
        'Match only callers with a token, with a certificate, or by a proxy. Default: all of them.',
      enum: ['oidc', 'mtls', 'proxy'],
    },
    role: { description: 'The rights, those of the roles before it too.', enum: [...ROLES] },
    where: {
      description: 'The limits of the rights. Default: none.',
      type: 'object',
      additionalProperties: false,
      properties: {
        flows: names('flows'),
        labels: {
          description:
            'Labels that tasks must have; those that are started get them. * stands for any text ' +
            'in a value, and then a start must bring a label that fits.',
          type: 'object',
          minProperties: 1,
          maxProperties: 20,
          propertyNames: { pattern: '^[^=:\\s]{1,64}$' },
          additionalProperties: { type: 'string', minLength: 1, maxLength: 255 },
        },
        modules: names('modules'),
      },
    },
  },
};

/**
 * The schema of the file of `BACKSTEP_ACCESS`. `schemas/access.v1.json` is a copy for editors; a
 * spec compares them.
 */
export const accessFileSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'https://backstep.example/schemas/access.v1.json',
  title: 'Who may do what without a key',
  description: 'Read by BACKSTEP_ACCESS. The first binding that matches a caller applies.',
  type: 'object',
  additionalProperties: false,
  required: ['bindings'],
  properties: {
    $schema: { type: 'string' },
    bindings: { type: 'array', maxItems: BINDINGS_MAX, items: { $ref: '#/$defs/binding' } },
  },
  $defs: { binding },
};

/** The bindings of a file, in its order. */
export function bindingsIn({ bindings }: WrittenAccess): readonly Binding[] {
  return bindings.map(({ by = null, group, role, subject = '', where = {} }) => {
    const about =
      group === undefined
        ? ({ to: 'subject', pattern: subject } as const)
        : ({ to: 'group', pattern: group } as const);
    const { flows = null, labels = null, modules = null } = where;
    return { ...about, way: by, role, flows, labels, modules };
  });
}
