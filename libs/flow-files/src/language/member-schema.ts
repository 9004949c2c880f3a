import {
  ACTION_EXAMPLE,
  type BranchesMember,
  type EntriesMember,
  type FormsMember,
  kindsWith,
  type Member,
  type Members,
  STEPS_EXAMPLE,
  type ValueMember,
  type ValueType,
} from '#kinds';
import { LISTS_MAX, STEPS_MAX } from './limits.js';
import {
  caughtErrors,
  condition,
  durationOrExpression,
  errorCode,
  EXPRESSION_PATTERN,
  listOfValues,
  moment,
  partName,
} from './values.js';

type Schema = Readonly<Record<string, unknown>>;

/** Most lists of steps look like this: that of a flow, and those in its steps. */
export const steps = {
  title: 'a list of steps',
  type: 'array',
  minItems: 1,
  maxItems: STEPS_MAX,
  items: { $ref: '#/$defs/step' },
  examples: [STEPS_EXAMPLE],
};

/** The schemas of values by their types; the description stands where it is to be. */
const VALUES: Readonly<Record<ValueType, Schema>> = {
  text: { title: 'text', description: '', type: 'string' },
  flow: {
    title: 'the name of a flow',
    description: '',
    type: 'string',
    minLength: 1,
    examples: ['upgrade-host'],
  },
  name: { $ref: '#/$defs/name', description: '' },
  'part name': partName,
  code: errorCode,
  whole: { title: 'a whole number', description: '', type: 'integer' },
  number: { title: 'a number', description: '', type: 'number' },
  names: { title: 'a list of names', description: '', type: 'array' },
  errors: caughtErrors,
  duration: { $ref: '#/$defs/duration', description: '' },
  computedDuration: durationOrExpression,
  computedMoment: moment,
  condition,
  list: listOfValues,
  parameters: {
    title: 'an object or an expression',
    description: '',
    type: ['object', 'string'],
    pattern: `^${EXPRESSION_PATTERN}$`,
    examples: ['{% $ %}', { size: '{% size %}' }],
  },
  expression: {
    title: 'an expression',
    description: '',
    type: 'string',
    pattern: `^${EXPRESSION_PATTERN}$`,
  },
  object: { title: 'an object', description: '', type: 'object' },
  json: { description: '' },
  tries: { $ref: '#/$defs/groupRetry', description: '' },
  action: {
    title: 'an action (an object with `module` and `command`)',
    description: '',
    type: 'object',
    examples: [ACTION_EXAMPLE],
    $ref: '#/$defs/action',
  },
  undo: {
    title: 'an action or null',
    description: `How to undo ${inWords(kindsWith('rollback'))}.`,
    type: ['object', 'null'],
    examples: [ACTION_EXAMPLE],
    $ref: '#/$defs/action',
  },
};

function inWords(names: readonly string[]): string {
  const quoted = names.map((name) => `\`${name}\``);
  return `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`;
}

/** The schema of a declared member of a step, or of an object in it. */
export function memberSchema(member: Member): Schema {
  switch (member.type) {
    case 'steps':
      return { ...steps, description: member.about };
    case 'branches':
      return branchesSchema(member);
    case 'entries':
      return entriesSchema(member);
    case 'words': {
      const { about, default: usual, schema, words } = member;
      const title = words.map((word) => `"${word}"`).join(' or ');
      return {
        title,
        description: about,
        enum: words,
        ...(usual && { default: usual }),
        ...schema,
      };
    }
    case 'object of': {
      const { about: description, belongs, members, oneOf, title } = member;
      const terms = { required: requiredOf(members), oneOf: oneOf && choices(oneOf), belongs };
      return objectSchema(members, { head: { title, description, type: 'object' }, terms, member });
    }
    case 'one of':
      return formsSchema(member);
    case 'true or': {
      const { about: description, members, title } = member;
      const head = { title, description, type: ['boolean', 'object'], not: { const: false } };
      return objectSchema(members, { head, terms: { required: requiredOf(members) }, member });
    }
    default:
      return valueSchema(member);
  }
}

function valueSchema({ about, schema, type }: ValueMember): Schema {
  const { description } = VALUES[type];
  // These say something themselves, of all members of their type.
  const isMore = type === 'undo' || type === 'part name';
  const own = isMore ? `${String(description)} ${about}` : about;
  return { ...VALUES[type], description: own, ...schema };
}

/** The members that each such object has. */
function requiredOf(members: Members): readonly string[] {
  const needed = Object.entries(members).filter(([, { default: usual, optional }]) => {
    return usual === undefined && optional === undefined;
  });
  return needed.map(([name]) => name);
}

function choices(names: readonly string[]): readonly Schema[] {
  return names.map((name) => ({ required: [name] }));
}

/** The keywords of the schema of an object. */
interface ObjectTerms {
  readonly head: Schema;
  readonly terms: {
    readonly required?: readonly string[];
    readonly oneOf?: readonly Schema[] | undefined;
    /** Members that are written with another one only, and that one. */
    readonly belongs?: Readonly<Record<string, string>> | undefined;
  };
  readonly member: { readonly examples: readonly unknown[] };
}

function objectSchema(
  members: Members,
  { head, member, terms: { belongs, oneOf, required } }: ObjectTerms,
): Schema {
  const dependent = Object.entries(belongs ?? {}).map(([name, other]) => [name, [other]]);
  return {
    ...head,
    ...(required !== undefined && { required }),
    ...(oneOf !== undefined && { oneOf }),
    ...(dependent.length > 0 && { dependentRequired: Object.fromEntries(dependent) }),
    additionalProperties: false,
    examples: member.examples,
    properties: propertiesOf(members),
  };
}

function propertiesOf(members: Members): Schema {
  const schemas = Object.entries(members).map(([name, member]) => [name, memberSchema(member)]);
  return Object.fromEntries(schemas) as Schema;
}

function formsSchema({ about: description, examples, forms, title }: FormsMember): Schema {
  const firsts = forms.map((form) => Object.keys(form)[0] ?? '');
  const belongs = forms.flatMap((form) => {
    const [first = '', ...others] = Object.keys(form);
    return others.map((other) => [other, first]);
  });
  return objectSchema(Object.assign({}, ...forms) as Members, {
    head: { title, description, type: 'object' },
    terms: {
      oneOf: choices(firsts),
      belongs: Object.fromEntries(belongs) as Record<string, string>,
    },
    member: { examples },
  });
}

function branchesSchema({ about: description, example }: BranchesMember): Schema {
  return {
    title: 'an object whose members are lists of steps',
    description,
    type: 'object',
    minProperties: 1,
    maxProperties: LISTS_MAX,
    propertyNames: partName,
    additionalProperties: { ...steps, description: 'Steps of the branch.' },
    examples: [example],
  };
}

function entriesSchema({ about: description, entry, example, members, title }: EntriesMember) {
  const terms = { required: requiredOf(members) };
  const head = { title: entry, type: 'object' };
  return {
    title,
    description,
    type: 'array',
    minItems: 1,
    maxItems: LISTS_MAX,
    examples: [[example]],
    items: objectSchema(members, { head, terms, member: { examples: [example] } }),
  };
}
