import {
  ACTION_EXAMPLE,
  kindsWith,
  type Member,
  type Members,
  type ObjectMember,
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
  const { about: description, schema } = member;
  switch (member.type) {
    case 'steps':
      return { ...steps, description };
    case 'branches':
      return {
        title: 'an object whose members are lists of steps',
        description,
        type: 'object',
        minProperties: 1,
        maxProperties: LISTS_MAX,
        propertyNames: partName,
        additionalProperties: { ...steps, description: `Steps of the ${member.list}.` },
        examples: [member.example],
      };
    case 'words': {
      const title = member.words.map((word) => `"${word}"`).join(' or ');
      const usual = member.default === undefined ? {} : { default: member.default };
      return { title, description, enum: member.words, ...usual, ...schema };
    }
    case 'object of':
      return objectSchema(member);
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

function objectSchema(member: ObjectMember): Schema {
  const { about: description, entry, examples, title } = member;
  if (entry === undefined) return plainObjectSchema(member, { title, description });
  return {
    title,
    description,
    type: 'array',
    minItems: 1,
    maxItems: LISTS_MAX,
    examples: [examples],
    items: plainObjectSchema(member, { title: entry }),
  };
}

function plainObjectSchema({ examples, forms, ...terms }: ObjectMember, head: Schema): Schema {
  const members = Object.assign({}, ...forms) as Members;
  const firsts = forms.map((form) => Object.keys(form)[0] ?? '');
  const oneOf = terms.oneOf ?? (forms.length > 1 ? firsts : []);
  const required = forms.length > 1 ? [] : requiredOf(members);
  const belongs =
    forms.length > 1 ? forms.flatMap(belongsToFirst) : Object.entries(terms.belongs ?? {});
  const dependent = belongs.map(([name, other]) => [name, [other]]);
  const types =
    terms.orTrue === true ? { type: ['boolean', 'object'], not: { const: false } } : null;
  return {
    ...head,
    ...(types ?? { type: 'object' }),
    ...(required.length > 0 && { required }),
    ...(oneOf.length > 0 && { oneOf: oneOf.map((name) => ({ required: [name] })) }),
    ...(dependent.length > 0 && { dependentRequired: Object.fromEntries(dependent) as Schema }),
    additionalProperties: false,
    examples,
    properties: Object.fromEntries(
      Object.entries(members).map(([name, member]) => [name, memberSchema(member)]),
    ),
  };
}

/** The members that each such object has. */
function requiredOf(members: Members): readonly string[] {
  const needed = Object.entries(members).filter(([, { default: usual, optional }]) => {
    return usual === undefined && optional === undefined;
  });
  return needed.map(([name]) => name);
}

function belongsToFirst(form: Members): readonly (readonly [string, string])[] {
  const [first = '', ...others] = Object.keys(form);
  return others.map((other) => [other, first]);
}
