import { CATCH, SHARED_MEMBERS } from './any-step.js';
import { approve } from './approve.js';
import { choice } from './choice.js';
import { dynamic } from './dynamic.js';
import { fail } from './fail.js';
import { flow } from './flow.js';
import { foreach } from './foreach.js';
import { group } from './group.js';
import type { KindDeclaration } from './kind.js';
import { loop } from './loop.js';
import type { Member } from './member.js';
import { normal } from './normal.js';
import { parallel } from './parallel.js';
import { set } from './set.js';
import { succeed } from './succeed.js';
import { wait } from './wait.js';

/** Every kind of step, by the member that makes it. Those that most steps are come first. */
export const KINDS = {
  normal,
  group,
  choice,
  parallel,
  loop,
  set,
  wait,
  approve,
  succeed,
  fail,
  foreach,
  flow,
  dynamic,
} as const;

/** The declarations of all kinds, as the compiler knows them. */
export type Kinds = typeof KINDS;

/** Name of a kind of step: the member that makes it. */
export type KindName = keyof Kinds;

/** The names of all kinds. */
export const KIND_NAMES = Object.freeze(Object.keys(KINDS)) as readonly KindName[];

/** All kinds, as what they have in common. */
export const DECLARATIONS: readonly (readonly [KindName, KindDeclaration])[] = KIND_NAMES.map(
  (name) => [name, KINDS[name]],
);

/** Every member that only steps of some kinds have, each once, in the order of the kinds. */
export const OWN_MEMBERS: ReadonlyMap<string, Member> = new Map(
  DECLARATIONS.flatMap(([, { members }]) => Object.entries(members)),
);

/** The kinds whose steps have a member. */
export function kindsWith(member: string): readonly KindName[] {
  return KIND_NAMES.filter((kind) => Object.hasOwn(KINDS[kind].members, member));
}

/**
 * The member that makes a step, whatever its shape: of a kind that this build does not know, the
 * first that no other step has. Undefined: it has none.
 */
export function makingMember(step: Readonly<Record<string, unknown>>): string | undefined {
  return KIND_NAMES.find((kind) => step[kind] !== undefined) ?? unknownMember(step);
}

function unknownMember(step: Readonly<Record<string, unknown>>): string | undefined {
  return Object.keys(step).find((name) => !OWN_MEMBERS.has(name) && !SHARED_MEMBERS.includes(name));
}

/** Members that may hold lists of steps, `catch` the last. */
export const HOLDERS: readonly (readonly [string, Member])[] = [
  ...[...OWN_MEMBERS].filter(([, member]) => holdsSteps(member)),
  ['catch', CATCH],
];

function holdsSteps(member: Member): boolean {
  if (member.type === 'steps' || member.type === 'branches') return true;
  return innerMembers(member).some(([, inner]) => holdsSteps(inner));
}

/** The declared members of the objects that a member is. */
export function innerMembers(member: Member): readonly (readonly [string, Member])[] {
  return member.type === 'object of' ? member.forms.flatMap((form) => Object.entries(form)) : [];
}

/** The names of all declared members of some types, at any depth. */
export function namesOfTypes(types: ReadonlySet<Member['type']>): ReadonlySet<string> {
  const waiting: (readonly [string, Member])[] = [...OWN_MEMBERS, ['catch', CATCH]];
  const names = new Set<string>();
  for (const [name, member] of waiting) {
    if (types.has(member.type)) names.add(name);
    waiting.push(...innerMembers(member));
  }
  return names;
}
