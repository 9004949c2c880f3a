import type { ErrorObject } from 'ajv';
import {
  innerMembers,
  KIND_NAMES,
  type KindDeclaration,
  type KindName,
  KINDS,
  kindsWith,
  type Member,
  OWN_MEMBERS,
  SHARED_MEMBERS,
} from '#kinds';
import { clip } from './read-json.js';
import { action } from './language/step.js';
import { nearMeant } from './near-name-hint.js';
import type { ProblemCode } from './problem.js';

/** The fault of a step whose members do not make up one kind. */
interface KindFault {
  readonly code: ProblemCode;
  readonly message: string;
  readonly hint: string;
  /** The member at fault, where it is one. */
  readonly member?: string;
}

/** A step as it stands in a file, whatever its members. */
type StepMembers = Readonly<Record<string, unknown>>;

/**
 * Whether an error about which members exclude each other, or belong to each other, says less than
 * others beside it: that one certain member is not there, that what is no object has none, or that
 * a member lacks its kind where the step has none at all.
 */
export function isOtherKindFault(error: ErrorObject): boolean {
  const { data, keyword, schema, schemaPath } = error;
  if (keyword === 'required') return /\/(oneOf|anyOf)\//.test(schemaPath);
  if (keyword === 'anyOf') return kindsOf(data as StepMembers).length === 0;
  if (keyword === 'dependentRequired') return isUndecided(error);
  if (keyword !== 'oneOf') return false;
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return true;
  if (!choicesIn(schema).includes('normal')) return false;
  return kindsOf(data as StepMembers).length === 0 && Object.keys(data).some(isMeantAsKind);
}

function kindsOf(step: StepMembers): readonly KindName[] {
  return KIND_NAMES.filter((kind) => Object.hasOwn(step, kind));
}

function isMeantAsKind(member: string): boolean {
  if (SHARED_MEMBERS.includes(member) || OWN_MEMBERS.has(member)) return false;
  return nearMeant(member, KIND_NAMES) !== undefined;
}

/** Whether a member belongs to one of several, none of which is there. */
function isUndecided({ data, params }: ErrorObject): boolean {
  const { missingProperty } = params as { missingProperty?: string };
  const others = OTHERS_OF.get(missingProperty ?? '') ?? null;
  return others !== null && !others.some((each) => Object.hasOwn(data as StepMembers, each));
}

/** By a member that others belong to: the members that exclude it. */
const OTHERS_OF: ReadonlyMap<string, readonly string[]> = new Map([
  ['attempts', ['forEach']],
  ['forEach', ['attempts']],
  ...[...OWN_MEMBERS.values()].flatMap(exclusions),
]);

function exclusions(member: Member): readonly (readonly [string, readonly string[]])[] {
  if (member.type !== 'object of') return [];
  const firsts = member.forms.map((form) => Object.keys(form)[0] ?? '');
  const choices = member.oneOf ?? firsts;
  if (choices.length < 2) return [];
  return choices.map((one) => [one, choices.filter((other) => other !== one)]);
}

/** The members that a `oneOf` of our schema lists: it wants exactly one. */
function choicesIn(oneOf: unknown): readonly string[] {
  return (oneOf as readonly { required: readonly string[] }[]).flatMap(({ required }) => required);
}

/** An object has none of the members of a `oneOf`, or several. */
export function wrongChoice({ data, schema }: ErrorObject, subject: string): KindFault {
  const choices = choicesIn(schema);
  const found = choices.filter((member) => Object.hasOwn(data as StepMembers, member));
  const isStep = choices.includes('normal');
  if (found.length > 1) {
    const names = inWords(found, 'and');
    const owner = isStep ? 'a step' : 'it';
    const message = `${subject} has ${names}, but ${owner} has exactly one of these.`;
    if (isStep) return { code: 'TWO_KINDS', message, hint: 'Make them steps of their own.' };
    return { code: 'CONFLICTING_MEMBERS', message, hint: 'Keep one of them.' };
  }
  if (!isStep) {
    const message = `${subject} has neither ${inWords(choices, 'nor')}.`;
    return { code: 'MISSING_MEMBER', message, hint: 'Add one of them.' };
  }
  const message = `${subject} has no member that says what to do, such as \`normal\`.`;
  const example = { normal: { module: 'mysql', command: 'init_instance' } };
  return { code: 'MISSING_MEMBER', message, hint: `Write for example ${JSON.stringify(example)}.` };
}

function inWords(members: readonly string[], word: 'and' | 'nor'): string {
  return members.map((member) => `\`${member}\``).join(` ${word} `);
}

/** A member stands in a step of a kind that does not have it. */
export function misplacedMember({ data, schemaPath }: ErrorObject, subject: string): KindFault {
  const member = /dependentSchemas\/(\w+)\//.exec(schemaPath)?.[1] ?? '';
  const [kind = 'normal'] = kindsOf(data as StepMembers);
  const message = `${subject} has \`${kind}\` and cannot have a member \`${member}\`.`;
  return { code: 'UNKNOWN_MEMBER', message, hint: hintFor(member, kind), member };
}

/** Where a member belongs that a step of this kind cannot have. */
function hintFor(member: string, kind: KindName): string {
  const { members, work }: KindDeclaration = KINDS[kind];
  if (member === 'rollback') return undoHint(kind, work);
  const own = members[kind];
  if (own !== undefined && hasMember(own, member)) return `Put \`${member}\` into \`${kind}\`.`;
  return `Only steps with \`${kindsWith(member)[0]}\` have it: remove it.`;
}

function undoHint(kind: string, work: KindDeclaration['work']): string {
  if (work === 'children') return 'Child tasks undo what they did by themselves: remove it.';
  if (work !== 'steps') return 'There is nothing to undo: remove it.';
  const holder = kind === 'group' ? 'group' : `\`${kind}\``;
  return `The steps of a ${holder} have rollbacks of their own: remove this one.`;
}

function hasMember(member: Member, name: string): boolean {
  if (member.type === 'action') return Object.hasOwn(action.properties, name);
  return innerMembers(member).some(([inner]) => inner === name);
}

/**
 * A member is there with one that excludes what it belongs to; null: only what it belongs to is
 * missing.
 */
export function lonelyMember({ data, params }: ErrorObject, subject: string): KindFault | null {
  const { missingProperty = '', property = '' } = params as {
    missingProperty?: string;
    property?: string;
  };
  const others = OTHERS_OF.get(missingProperty) ?? [];
  const other = others.find((each) => Object.hasOwn(data as StepMembers, each));
  if (other === undefined) return null;
  const message = `${subject} has \`${other}\` and cannot have a member \`${clip(property)}\`.`;
  const hint = `It belongs to \`${missingProperty}\`: remove it.`;
  return { code: 'UNKNOWN_MEMBER', message, hint, member: property };
}
