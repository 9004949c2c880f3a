import { CATCH, DECLARATIONS, type KindName, KINDS, type Member, type Members } from '#kinds';
import { object, ref } from './schema-parts.js';

const text = { type: 'string' };
const texts = { type: 'array', items: text };
const anything = { description: 'JSON in which a text `{% ... %}` is an expression.' };
const secondsOrNull = { type: ['number', 'null'], description: 'Seconds; null: no limit.' };
const secondsOrExpression = {
  type: ['number', 'string'],
  description: 'Seconds, or an expression.',
};

type Schemas = Readonly<Record<string, object>>;

/** How lists of steps in a step are shown; null: not here, because scopes show them. */
type InnerList = object | null;

/** The schemas of values by the types that declarations name. */
const VALUES: Readonly<Partial<Record<Member['type'], object>>> = {
  text,
  flow: text,
  name: text,
  'part name': text,
  code: text,
  whole: { type: 'integer' },
  number: { type: 'number' },
  names: texts,
  errors: texts,
  object: { type: 'object' },
  duration: secondsOrNull,
  computedDuration: secondsOrExpression,
  computedMoment: secondsOrExpression,
  action: ref('Action'),
  tries: {
    description: 'When it is tried again, after it was undone.',
    oneOf: [{ type: 'integer' }, ref('RetryPolicy'), ref('RetryForEach')],
  },
};

/** The schemas of objects that are one of several things, which have names of their own. */
export const KIND_SCHEMAS: Schemas = {
  RetryForEach: object({ forEach: anything, as: text }),
  ...Object.fromEntries(
    DECLARATIONS.flatMap(([, { members }]) => Object.entries(members).flatMap(formsOf)),
  ),
};

/** The schemas of the forms of a member, by their names; of one that is always an object: none. */
function formsOf([name, member]: readonly [string, Member]): readonly (readonly [
  string,
  object,
])[] {
  if (member.type !== 'object of') return [];
  if (member.forms.length < 2 && member.orTrue === undefined) return [];
  return member.forms.map((form) => [formName(name, form), objectOf(form, null)]);
}

/** `WaitSignal`: a form is called after its first member. */
function formName(name: string, form: Members): string {
  const parts = [name, Object.keys(form)[0] ?? ''];
  return parts.map((part) => `${part.charAt(0).toUpperCase()}${part.slice(1)}`).join('');
}

/** Members that a step of any kind may have. */
export const COMMON_MEMBERS = ['if', 'optional', 'pivot', 'catch', 'locks'];

/** The locks of a flow or a step. */
export const LOCKS = {
  type: 'array',
  items: object({ name: text, slots: { type: 'integer', minimum: 1 } }),
};

/** The schemas of those members. */
export function commonMembers(list: InnerList): Schemas {
  return {
    if: anything,
    optional: { type: 'boolean', enum: [true] },
    pivot: { type: 'boolean', enum: [true] },
    catch: memberSchema(CATCH, list),
    locks: LOCKS,
  };
}

/** The members that make a step of a kind, a rollback aside. */
export function kindMembers(kind: KindName, list: InnerList): Schemas {
  const { members } = KINDS[kind];
  const named = Object.entries<Member>(members).flatMap(([name, member]) => {
    const forms = formsOf([name, member]).map(([form]) => ref(form));
    const bare =
      member.type === 'object of' && member.orTrue ? [{ type: 'boolean', enum: [true] }] : [];
    return forms.length === 0 ? [] : [[name, { oneOf: [...bare, ...forms] }] as const];
  });
  return { ...propertiesOf(members, list), ...Object.fromEntries(named) };
}

/** Lists of steps come last. */
function propertiesOf(members: Members, list: InnerList): Schemas {
  const own = Object.entries(members).filter(([, { type }]) => type !== 'undo');
  const lists = own.filter(([, { type }]) => type === 'steps');
  const others = own.filter(([, { type }]) => type !== 'steps');
  const shown = list === null ? others : [...others, ...lists];
  return Object.fromEntries(shown.map(([name, member]) => [name, memberSchema(member, list)]));
}

function objectOf(members: Members, list: InnerList): object {
  const optional = Object.entries(members).filter(([, member]) => member.optional !== undefined);
  return object(
    propertiesOf(members, list),
    optional.map(([name]) => name),
  );
}

function memberSchema(member: Member, list: InnerList): object {
  switch (member.type) {
    case 'steps':
      return list ?? {};
    case 'branches': {
      const branch = list ?? { type: 'array', items: {}, maxItems: 0 };
      return { type: 'object', additionalProperties: branch };
    }
    case 'words':
      return { enum: member.words };
    case 'object of': {
      const own = objectOf(member.forms[0] ?? {}, list);
      return member.entry === undefined ? own : { type: 'array', items: own };
    }
    default:
      return VALUES[member.type] ?? anything;
  }
}

/** Members of kinds that a step of that kind does not always have. */
export const OPTIONAL_OF_KIND = DECLARATIONS.flatMap(([, { members }]) => {
  const optional = Object.entries(members).filter(([, { type, optional: how }]) => {
    return how !== undefined && type !== 'undo';
  });
  return optional.map(([name]) => name);
});
