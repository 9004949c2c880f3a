import type { ErrorObject } from 'ajv';
import { clip } from './json-document.js';
import { nearMeant } from './near-name-hint.js';
import type { ProblemCode } from './problem.js';

/** The members that make a step, of which each has exactly one. */
export const STEP_KINDS = ['normal', 'group'] as const;

/** Members that make a step in the whole language, and that this version does not know. */
const LATER_KINDS: ReadonlySet<string> = new Set([
  'approve',
  'choice',
  'dynamic',
  'fail',
  'flow',
  'foreach',
  'loop',
  'parallel',
  'set',
  'succeed',
  'wait',
]);

/** What is said of a step whose members do not make one. */
export interface KindFault {
  readonly code: ProblemCode;
  readonly message: string;
  readonly hint: string;
  /** The member at fault, where it is one. */
  readonly member?: string;
}

/** A step as it stands in a file, whatever its members. */
export type StepMembers = Readonly<Record<string, unknown>>;

/** Whether a member is a kind of step that this version does not know. */
export function isLaterKind(member: string): boolean {
  return LATER_KINDS.has(member);
}

/** A step has a member that makes a kind of step which this version does not know. */
export function unknownKind(member: string): KindFault {
  const message = `Steps with \`${member}\` are not known to this version of Backstep.`;
  const hint = `A step has one of these: ${KINDS_IN_WORDS}.`;
  return { code: 'UNKNOWN_KIND', message, hint, member };
}

const KINDS_IN_WORDS = STEP_KINDS.map((kind) => `\`${kind}\``).join(', ');

/**
 * Whether an error about the kind of a step says less than others beside it: that it is not of one
 * certain kind, that what is no object is of none, or that a member lacks its kind where the step
 * has none at all.
 */
export function isOtherKindFault({ data, keyword, schemaPath }: ErrorObject): boolean {
  if (keyword === 'required') return schemaPath.includes('/oneOf/');
  if (keyword === 'dependentRequired') return kindsOf(data as StepMembers).length === 0;
  if (keyword !== 'oneOf') return false;
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return true;
  return kindsOf(data as StepMembers).length === 0 && Object.keys(data).some(isMeantAsKind);
}

function kindsOf(step: StepMembers): readonly string[] {
  return STEP_KINDS.filter((kind) => Object.hasOwn(step, kind));
}

function isMeantAsKind(member: string): boolean {
  return isLaterKind(member) || nearMeant(member, STEP_KINDS) !== undefined;
}

/** A step has none of the kinds' members, or several. */
export function wrongKinds(step: StepMembers, subject: string): KindFault {
  const kinds = kindsOf(step);
  if (kinds.length > 1) {
    const names = kinds.map((kind) => `\`${kind}\``).join(' and ');
    const message = `${subject} has ${names}, but a step has exactly one of these.`;
    return { code: 'TWO_KINDS', message, hint: 'Make them steps of their own.' };
  }
  const message = `${subject} has neither \`normal\` nor \`group\`, which say what to do.`;
  const example = { normal: { module: 'mysql', command: 'init_instance' } };
  return { code: 'MISSING_MEMBER', message, hint: `Write for example ${JSON.stringify(example)}.` };
}

/** A member stands in a step of a kind that does not have it. */
export function misplacedMember({ data, params }: ErrorObject, subject: string): KindFault {
  const { property = '' } = params as { property?: string };
  const [kind = ''] = kindsOf(data as StepMembers);
  const message = `${subject} has \`${kind}\` and cannot have a member \`${clip(property)}\`.`;
  const hint =
    kind === 'group'
      ? 'The steps of a group have rollbacks of their own: remove this one.'
      : `Put \`${clip(property)}\` into \`${kind}\`.`;
  return { code: 'UNKNOWN_MEMBER', message, hint, member: property };
}
