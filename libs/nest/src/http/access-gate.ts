import type { FastifyRequest } from 'fastify';
import {
  EVERYBODY,
  hasRightsOf,
  isLimited,
  type KeyRing,
  type Need,
  type Principal,
  seesModule,
} from '#access';
import type { Role } from '#ports';
import { Problem } from './problems.js';
import { pathOf } from './send-problem.js';

/** Tells whose a request is. */
export type AccessGate = Pick<KeyRing, 'find'>;

/** Somebody whose request was let in, and the role that is missing for it, if one is. */
interface Admission {
  readonly principal: Principal;
  /** Told once it is known that the task in question is one that the caller sees. */
  readonly missing: Role | null;
}

const admissions = new WeakMap<FastifyRequest, Admission>();
/** Requests that were asked for a key. */
const wanting = new WeakSet<FastifyRequest>();

/** Whose a request is; everybody's where nobody is asked. */
export function principalOf(request: FastifyRequest): Principal {
  return admissions.get(request)?.principal ?? EVERYBODY;
}

/** Whose key a request has shown; null: none was taken. */
export function admittedAs(request: FastifyRequest): Principal | null {
  return admissions.get(request)?.principal ?? null;
}

/** Whether a request was asked for a key. */
export function isAsked(request: FastifyRequest): boolean {
  return wanting.has(request);
}

/** Throws the `Problem` that the caller's role does not do, for a task that the caller sees. */
export function expectRole(request: FastifyRequest): void {
  const { missing = null, principal = EVERYBODY } = admissions.get(request) ?? {};
  if (missing !== null) throw lacking(principal, missing);
}

/** The problem that somebody may not do this; `why` goes on a sentence about the key. */
export function forbidden({ name }: Principal, why: string): Problem {
  return new Problem('FORBIDDEN', `The key ${name} ${why}.`);
}

type Admitted = (error?: Error) => void;

/** Lets a request in, or says why not, before its body is read. */
export function admit(gate: AccessGate, request: FastifyRequest, done: Admitted): void {
  const need = (request.routeOptions.config as { need?: Need } | undefined)?.need ?? UNKNOWN;
  if (need.role === 'none') return done();
  wanting.add(request);
  const found = gate.find(tokenOf(request));
  if (found instanceof Promise) void admitFound(found, { need, request, done });
  else done(judge(found, need, request));
}

interface Asking {
  readonly need: Need;
  readonly request: FastifyRequest;
  readonly done: Admitted;
}

async function admitFound(
  finding: Promise<Principal | null>,
  { need, request, done }: Asking,
): Promise<void> {
  let found: Principal | null;
  try {
    found = await finding;
  } catch (error) {
    return done(error as Error);
  }
  done(judge(found, need, request));
}

/** Whoever has no key is not even told what there is. */
const UNKNOWN: Need = { role: 'any' };

const BEARER = /^Bearer +([\w.~+/-]+=*) *$/i;

function tokenOf({ headers }: FastifyRequest): string {
  return BEARER.exec(headers.authorization ?? '')?.[1] ?? '';
}

function judge(
  principal: Principal | null,
  need: Need,
  request: FastifyRequest,
): Problem | undefined {
  if (principal === null) return unauthenticated(request);
  const { about, role } = need;
  const missing = role === 'any' || role === 'none' || isAdmitted(principal, need) ? null : role;
  admissions.set(request, { principal, missing });
  if (missing !== null) {
    const isLater = about === 'task' && hasRightsOf(principal.role, 'viewer');
    return isLater ? undefined : lacking(principal, missing);
  }
  if (about === 'all' && (isLimited(principal) || principal.modules !== null)) {
    return forbidden(principal, 'is limited, and this is about everything');
  }
  return about === 'module' ? judgeModule(principal, request) : undefined;
}

function isAdmitted({ role }: Principal, need: Need): boolean {
  if (need.role === 'any' || need.role === 'none') return true;
  return hasRightsOf(role, need.role) || (need.or !== undefined && hasRightsOf(role, need.or));
}

function judgeModule(principal: Principal, { url }: FastifyRequest): Problem | undefined {
  const [, , module = ''] = pathOf(url).split('/');
  if (seesModule(principal, module)) return undefined;
  return new Problem('NOT_FOUND', 'There is nothing at this address.');
}

function unauthenticated({ headers }: FastifyRequest): Problem {
  const detail =
    headers.authorization === undefined
      ? 'A key is needed here: `Authorization: Bearer bsk_...`.'
      : 'The key is not one that is taken: it may be wrong, revoked or expired.';
  return new Problem('UNAUTHENTICATED', detail, { headers: { 'www-authenticate': 'Bearer' } });
}

function lacking(principal: Principal, missing: Role): Problem {
  return forbidden(principal, `has the role ${principal.role}, and this needs ${missing}`);
}
