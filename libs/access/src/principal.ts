import type { KeyRecord, Role } from '#ports';
import type { Somebody } from './bindings.js';
import { fitsAny, fitsPattern } from './pattern.js';

/** The limits of a caller's rights; null: not limited. */
export type Limits = Pick<KeyRecord, 'flows' | 'labels' | 'modules'>;

/** A caller whose request was let in. */
export interface Principal extends Limits {
  /** The actor of what is done. */
  readonly name: string;
  readonly role: Role;
  /**
   * Of the key that was shown, `<issuer>#<subject>` of a token, `certificate#<name>`, or
   * `proxy#<name>`; null: there is none.
   */
  readonly keyId: string | null;
  /**
   * The person who made the key, or a `boundPerson`; absent: the key was made in the store itself,
   * or `keyId` or `name` say who it is.
   */
  readonly madeBy?: string;
  /**
   * When the token or certificate that was shown is over, in milliseconds since 1970; absent: it
   * has no end of its own.
   */
  readonly goodUntil?: number;
  /** The id of the session of a browser that was shown, as `EndedSessions` has it; absent: none. */
  readonly session?: string;
  /** The one whose rights follow from rules; absent: they are those of a key. */
  readonly somebody?: Somebody;
  /** The certificate or the secret of a proxy that was shown; absent: neither. */
  readonly shown?: { /** Whether it counts still. */ readonly isCurrent: boolean };
}

/** Everybody, where nobody is asked for a key. */
export const EVERYBODY: Principal = {
  name: 'api',
  role: 'admin',
  flows: null,
  labels: null,
  modules: null,
  keyId: null,
};

/** The members of a caller that say which person is behind it. */
type Person = Pick<Principal, 'keyId' | 'madeBy' | 'name'>;

/** Each has the rights of those before it. */
const LADDER: readonly Role[] = ['viewer', 'starter', 'operator', 'author', 'admin'];

/** The rights that a route asks of its caller. */
export interface Need {
  /** `none`: not even a key. `any`: a key, of whatever role. */
  readonly role: Role | 'any' | 'none';
  /**
   * The subject of the route. `task`: one that the caller may not even see, so that the lack of
   * a role is told only of a task that is seen. `module`: one that its address names. `all`:
   * everything at once, so that a key with limits does not do. Absent: nothing, or the answer
   * leaves out by itself what the caller does not see.
   */
  readonly about?: 'task' | 'module' | 'all';
  /** A role that may do it besides, without the rights of `role`. */
  readonly or?: Role;
}

const OPEN: Need = { role: 'none' };
const MODULE_PAGE: Need = { role: 'viewer', about: 'module' };
const CONSOLE = /^\/console(?:\/|$)/;

/**
 * The person behind a caller, whatever was shown: a key is the person's who made it, else the one's
 * of its name; all tokens of one subject are one person's.
 */
export function personOf({ keyId, madeBy, name }: Person): string {
  return madeBy ?? (keyId?.includes('#') === true ? keyId : name);
}

const BOUND = ' for ';

/**
 * A person `<issuer>#<subject>` whose subject is known to be theirs for one audience alone:
 * issuers may give each client subjects of its own.
 */
export function boundPerson(person: string, audience: string): string {
  return `${person}${BOUND}${audience}`;
}

/**
 * Whether the same person may be behind two callers: keys of one name, keys that one person made, a
 * key and its maker, a key and a certificate of one name, people of one issuer whose subjects
 * are bound to different audiences. Letter case makes no other person.
 */
export function isSamePerson(one: Person, other: Person): boolean {
  const [ones, others] = [namesOf(one), namesOf(other)];
  return ones.some((name) => others.some((another) => mayBeOne(name, another)));
}

/** The name of a token has its subject in it, which no key has. */
function namesOf(person: Person): readonly string[] {
  const names = [person.name, personOf(person), person.keyId ?? person.name];
  return names.map((name) => name.replace(VOUCHED, '').toLowerCase());
}

/** A key or a person of the same name may be theirs, whatever showed the name. */
const VOUCHED = /^(?:certificate|proxy)#/;

function mayBeOne(one: string, other: string): boolean {
  if (one === other) return true;
  const [person = '', audience] = one.split(BOUND);
  const [another = '', otherAudience] = other.split(BOUND);
  if (audience === undefined || otherAudience === undefined) return false;
  return issuerOf(person) === issuerOf(another) && audience !== otherAudience;
}

/** Subjects may have the sign too; the address of an issuer has none. */
function issuerOf(person: string): string {
  return person.slice(0, person.indexOf('#'));
}

/** The members of a task that decide whether a caller may see it. */
interface SeenTask {
  readonly flow: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Whether the tasks that a caller sees are limited. */
export function isLimited({ flows, labels }: Limits): boolean {
  return flows !== null || labels !== null;
}

/** Whether a caller may be told of everything at once: nothing at all is limited. */
export function seesEverything(limits: Limits): boolean {
  return !isLimited(limits) && limits.modules === null;
}

/** Whether a caller sees a flow. */
export function seesFlow({ flows }: Limits, flow: string): boolean {
  return fitsAny(flows, flow);
}

/** Whether a caller sees a task: its flow fits, and it has the labels. */
export function seesTask({ flows, labels }: Limits, task: SeenTask): boolean {
  return fitsAny(flows, task.flow) && fitsLabels(labels, task.labels);
}

/** Whether a task has the labels of a limit, whose values are patterns; null: it asks for none. */
export function fitsLabels(wanted: Limits['labels'], own: SeenTask['labels']): boolean {
  return Object.entries(wanted ?? {}).every(([name, pattern]) => {
    return Object.hasOwn(own, name) && fitsPattern(pattern, own[name] ?? '');
  });
}

/** The labels of a limit that can have one value alone, by which an index finds tasks. */
export function plainLabels(wanted: Limits['labels']): SeenTask['labels'] {
  const plain = Object.entries(wanted ?? {}).filter(([, pattern]) => !pattern.includes('*'));
  return Object.fromEntries(plain);
}

/** Whether a caller may use a module. */
export function usesModule({ modules }: Limits, module: string): boolean {
  return fitsAny(modules, module);
}

/**
 * Whether a caller sees the pages of a module. They tell of tasks of all flows, so where the tasks
 * are limited, the module must have been named.
 */
export function seesModule(limits: Limits, module: string): boolean {
  return usesModule(limits, module) && (limits.modules !== null || !isLimited(limits));
}

/**
 * The rights that a route needs which declares none, by its method and its path as OpenAPI writes
 * it. Files of the console are open: they hold no data, and a browser has no key to send before its
 * reader has given one. Any other route, such as a page of an author's own executor, is for viewers
 * to read and for admins to use; of pages of modules, those viewers who see the module.
 */
export function needOf(method: string, path: string): Need {
  if (method !== 'GET' && method !== 'HEAD') return { role: 'admin', about: 'all' };
  if (path.startsWith('/modules/')) return MODULE_PAGE;
  return CONSOLE.test(path) ? OPEN : { role: 'viewer', about: 'all' };
}

/** Whether a role has the rights of another one. Only an admin has those of a worker besides. */
export function hasRightsOf(role: Role, wanted: Role): boolean {
  if (role === wanted || role === 'admin') return true;
  return LADDER.includes(role) && LADDER.includes(wanted)
    ? LADDER.indexOf(role) >= LADDER.indexOf(wanted)
    : false;
}
