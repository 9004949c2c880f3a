import type { FastifyRequest } from 'fastify';
import {
  type Callers,
  CertificateRefused,
  type ChangedRecord,
  EVERYBODY,
  hasRightsOf,
  IssuerUnavailable,
  type Need,
  NoRoleGiven,
  type Principal,
  ProxyRefused,
  type RefusedSignIns,
  type SaidByProxy,
  seesEverything,
  seesModule,
  TokenRefused,
  UnfitActor,
  UnfitGroups,
  whyNotChange,
} from '#access';
import type { Role } from '#ports';
import type { PeerCertificates } from './peer-certificates.js';
import { invalidRequest, Problem } from './problems.js';
import { clientAddress, type RequestLimits } from './request-limits.js';
import { pathOf } from './send-problem.js';
import { noSessionCookie, sessionOf } from './session-cookie.js';
import { greetingFor, signatureOf, signedPartsOf } from './signed-request.js';

/** Headers by which a trusted proxy names the caller. */
const PROXY_SECRET = 'x-backstep-proxy';
const PROXY_ACTOR = 'x-backstep-actor';
const PROXY_GROUPS = 'x-backstep-groups';

/** Tells whose a request is. */
export interface AccessGate
  extends
    Pick<Callers, 'find'>,
    Partial<Pick<Callers, 'findByCertificate' | 'takesCertificates'>>,
    Partial<Pick<Callers, 'findByProxy' | 'findSigned' | 'takesProxy' | 'greet' | 'wants'>> {}

/** A caller whose request was let in, and the role that is missing for it, if one is. */
interface Admission {
  readonly principal: Principal;
  /** The role that the caller lacks. It is named once the caller is known to see the task. */
  readonly missing: Role | null;
}

const admissions = new WeakMap<FastifyRequest, Admission>();
/** Requests that were asked for a key. */
const wanting = new WeakSet<FastifyRequest>();

/** Returns the caller of a request; everybody where nobody is asked for a key. */
export function principalOf(request: FastifyRequest): Principal {
  return admissions.get(request)?.principal ?? EVERYBODY;
}

/** Returns the owner of the key that a request has shown; null: none was taken. */
export function admittedAs(request: FastifyRequest): Principal | null {
  return admissions.get(request)?.principal ?? null;
}

/** The name by which a caller is counted: its credential; without one, its address. */
export function callerOf(request: FastifyRequest): string {
  return principalOf(request).keyId ?? clientAddress(request.socket);
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

/** The problem that the caller may not do this; `why` goes on a sentence about them. */
export function forbidden(principal: Principal, why: string): Problem {
  return new Problem('FORBIDDEN', `${subjectOf(principal)} ${why}.`);
}

/** Begins a sentence about the caller. */
export function subjectOf({ goodUntil, name, somebody }: Principal): string {
  return goodUntil === undefined && somebody === undefined ? `The key ${name}` : name;
}

type Admitted = (error?: Error) => void;

/** The checks that let a request in. */
export interface Door {
  /** Null: nobody is asked. */
  readonly gate: AccessGate | null;
  /** Null: there are none. */
  readonly limits: RequestLimits | null;
  /** Writes down what was shown and not accepted; null: nobody does. */
  readonly refused: Pick<RefusedSignIns, 'note'> | null;
  readonly certificates: Pick<PeerCertificates, 'of'>;
}

interface RouteNeeds {
  readonly need?: Need;
  readonly isHealth?: boolean;
}

/** Lets a request in, or says why not, before its body is read. */
export function admit(door: Door, request: FastifyRequest, done: Admitted): void {
  const { gate, limits } = door;
  const { isHealth, need = UNKNOWN } = (request.routeOptions.config ?? {}) as RouteNeeds;
  if (isHealth === true) return done();
  const tooMany = limits?.ofAddress(request.socket) ?? null;
  if (tooMany !== null) return done(tooMany);
  if (gate === null || need.role === 'none') return done();
  wanting.add(request);
  const asking: Asking = { need, request, done, ...door, gate };
  let found: Found | Promise<Found>;
  try {
    found = findCaller(asking);
  } catch (error) {
    return done(refusalOf(error as Error, asking));
  }
  if (found instanceof Promise) void admitFound(found, asking);
  else done(judge(found, asking));
}

type Found = Principal | null;

/**
 * The word of a proxy goes before everything else: proxies pass on what they were shown themselves.
 * A credential in a header goes before the certificate of the connection.
 */
function findCaller({ certificates, gate, request }: Asking): Found | Promise<Found> {
  const said = gate.takesProxy === true ? saidByProxy(request) : null;
  const vouchedFor = said === null ? null : (gate.findByProxy?.(said) ?? null);
  if (vouchedFor !== null) return vouchedFor;
  const signature = signatureOf(request);
  if (signature !== null) return gate.findSigned?.(signature, signedPartsOf(request)) ?? null;
  const credential = credentialOf(request);
  if (credential !== '' || request.headers.authorization !== undefined) {
    return gate.find(credential);
  }
  // On the connection of a proxy the certificate is the proxy's.
  const isDirect = said === null && gate.takesCertificates === true;
  const shown = isDirect ? certificates.of(request.socket) : null;
  return shown === null ? null : (gate.findByCertificate?.(shown) ?? null);
}

interface Asking extends Door {
  readonly gate: AccessGate;
  readonly need: Need;
  readonly request: FastifyRequest;
  readonly done: Admitted;
}

async function admitFound(finding: Promise<Found>, asking: Asking): Promise<void> {
  let found: Found;
  try {
    found = await finding;
  } catch (error) {
    return asking.done(refusalOf(error as Error, asking));
  }
  asking.done(judge(found, asking));
}

/** Seconds after which the keys of an issuer are looked for again. */
const ISSUER_RETRY_SECONDS = '2';

function refusalOf(error: Error, asking: Asking): Error {
  if (error instanceof NoRoleGiven) {
    note(asking, `the ${error.shown} gives no role`, 403);
    return new Problem('FORBIDDEN', `The ${error.shown} is good, but ${error.message}.`);
  }
  if (error instanceof TokenRefused) return tokenRefused(error, asking);
  if (error instanceof CertificateRefused) return certificateRefused(error, asking);
  if (error instanceof ProxyRefused) return proxyRefused(asking);
  if (error instanceof UnfitActor) return invalidRequest(UNFIT_ACTOR);
  if (error instanceof UnfitGroups) return invalidRequest(UNFIT_GROUPS);
  if (!(error instanceof IssuerUnavailable)) return error;
  const headers = { 'retry-after': ISSUER_RETRY_SECONDS };
  const detail = 'The issuer of the token does not answer, so the token cannot be checked.';
  return new Problem('ISSUER_UNAVAILABLE', detail, { headers, cause: error });
}

const UNFIT_ACTOR = {
  pointer: '/X-Backstep-Actor',
  message:
    'The header `X-Backstep-Actor` is a name of 1 to 200 visible ASCII characters, none of them a ' +
    'comma or a parenthesis.',
};

const UNFIT_GROUPS = {
  pointer: '/X-Backstep-Groups',
  message:
    'The header `X-Backstep-Groups` has names with commas between them; a name with a comma or a ' +
    'quote is whole in double quotes.',
};

/** A caller without a key is not even told what there is. */
const UNKNOWN: Need = { role: 'any' };

const BEARER = /^Bearer +([\w.~+/-]+=*) *$/i;

/** The credential that a request shows: in its header, else by the session of its browser. */
export function credentialOf(request: Pick<FastifyRequest, 'headers' | 'protocol'>): string {
  const { authorization } = request.headers;
  if (authorization === undefined) return sessionOf(request);
  return BEARER.exec(authorization)?.[1] ?? '';
}

function judge(principal: Found, asking: Asking): Problem | undefined {
  const { limits, need, request } = asking;
  if (principal === null) return unauthenticated(asking);
  // Not admitted, so not in the audit log either, which it could fill.
  const tooMany = limits?.ofCaller(principal) ?? null;
  if (tooMany !== null) return tooMany;
  const { about, role } = need;
  const missing = role === 'any' || role === 'none' || isAdmitted(principal, need) ? null : role;
  admissions.set(request, { principal, missing });
  if (missing !== null) {
    const isLater = about === 'task' && hasRightsOf(principal.role, 'viewer');
    return isLater ? undefined : lacking(principal, missing);
  }
  if (about === 'all' && !seesEverything(principal)) {
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

/** Nobody waits for it. */
function note({ refused, request }: Asking, why: string, status = 401): void {
  const target = pathOf(request.url);
  const address = clientAddress(request.socket);
  refused?.note({ address, why, status, target, requestId: request.id });
}

/**
 * The word for the kind is safe to tell: all but a wrong signature is looked at only once the
 * signature of the issuer was found good, or is in the token for everybody to read.
 */
function tokenRefused({ fault, message }: TokenRefused, asking: Asking): Problem {
  note(asking, `token: ${fault}`);
  const tooMany = asking.limits?.ofFailure(asking.request.socket) ?? null;
  if (tooMany !== null) return tooMany;
  const challenge = `Bearer error="invalid_token", error_description="${fault}: ${message}"`;
  const headers = { 'www-authenticate': challenge };
  return new Problem('UNAUTHENTICATED', `The token is not accepted (${fault}): ${message}.`, {
    headers,
  });
}

/** As RFC 6750 has it. Why something is not taken would help an attacker. */
function unauthenticated(asking: Asking): Problem {
  const { gate, limits, request } = asking;
  const session = sessionOf(request);
  const { headers, socket } = request;
  // A signature cannot be guessed, and one for a process that has ended is no attempt to.
  const isSigned = signatureOf(request) !== null;
  if (isSigned || (headers.authorization === undefined && session === '')) {
    // Keys and tokens are shown by clients that name an actor to whatever server there is.
    if (gate.takesProxy === true && gate.wants === null && isUnvouched(request)) {
      return invalidRequest(UNVOUCHED);
    }
    const detail = `This request needs ${credentialsOf(gate)}.`;
    const answered = { ...challengeOf(gate), ...greetingFor(request, gate) };
    return new Problem('UNAUTHENTICATED', detail, { headers: answered });
  }
  note(
    asking,
    headers.authorization === undefined ? 'a session that is over' : 'an unknown key or token',
  );
  const tooMany = limits?.ofFailure(socket) ?? null;
  if (tooMany !== null) return tooMany;
  const detail = 'The credential is not accepted: it may be wrong, revoked or expired.';
  const challenge = 'Bearer error="invalid_token", error_description="The token is not taken"';
  const signedOut = session === '' ? {} : { 'set-cookie': noSessionCookie(request) };
  const answered = { 'www-authenticate': challenge, ...signedOut };
  return new Problem('UNAUTHENTICATED', detail, { headers: answered });
}

const UNVOUCHED = {
  pointer: '/X-Backstep-Actor',
  message: 'The header `X-Backstep-Actor` counts only with the secret of a proxy.',
  hint: 'The proxy sends it as `X-Backstep-Proxy`.',
};

function credentialsOf({ takesCertificates, takesProxy, wants = 'a key' }: AccessGate): string {
  const all = [
    ...(takesProxy === true ? [BY_PROXY] : []),
    ...(takesCertificates === true ? ['a client certificate'] : []),
    ...(wants === null ? [] : [`${wants} in the header \`Authorization: Bearer ...\``]),
  ];
  return all.join(', or ');
}

const BY_PROXY = 'the headers `X-Backstep-Proxy` and `X-Backstep-Actor` of a trusted proxy';

/** No scheme of HTTP stands for certificates or proxies, and an answer of 401 has one. */
function challengeOf(gate: AccessGate): Readonly<Record<string, string>> {
  const others = gate.takesCertificates === true ? 'Certificate' : 'Proxy';
  return { 'www-authenticate': gate.wants === null ? others : 'Bearer' };
}

function proxyRefused(asking: Asking): Problem {
  const { gate, limits, request } = asking;
  note(asking, 'a wrong secret of a proxy');
  const tooMany = limits?.ofFailure(request.socket) ?? null;
  if (tooMany !== null) return tooMany;
  const detail = 'The secret in `X-Backstep-Proxy` is not accepted.';
  return new Problem('UNAUTHENTICATED', detail, { headers: challengeOf(gate) });
}

/** TLS itself tells a client as much. One that shows another one needs another connection. */
function certificateRefused(error: CertificateRefused, asking: Asking): Problem {
  const { certificates, gate, limits, request } = asking;
  const isStale = certificates.of(request.socket)?.isCurrent === false;
  if (!isStale) note(asking, `certificate: ${error.message}`);
  const tooMany = isStale ? null : (limits?.ofFailure(request.socket) ?? null);
  if (tooMany !== null) return tooMany;
  const headers = { ...challengeOf(gate), connection: 'close' };
  const detail = `The client certificate is not accepted: ${error.message}.`;
  return new Problem('UNAUTHENTICATED', detail, { headers });
}

/** The problem that the caller's role does not do, where it needs another one. */
export function lacking(principal: Principal, missing: Role): Problem {
  return forbidden(principal, `has the role ${principal.role}, and this needs ${missing}`);
}

/**
 * Throws the `Problem` that the limits of a caller do not let him store, change or remove a record.
 * Every way to change a record passes here.
 */
export function expectMayChange(principal: Principal, record: ChangedRecord): void {
  const why = whyNotChange(principal, record);
  if (why !== null) throw forbidden(principal, why);
}

/** Whether a request names an actor, and no proxy vouches for it. */
function isUnvouched({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return headers[PROXY_ACTOR] !== undefined && headers[PROXY_SECRET] === undefined;
}

/** The headers of a proxy, each of which is there once at most; null: it was none. */
function saidByProxy({ headers }: Pick<FastifyRequest, 'headers'>): SaidByProxy | null {
  const secret = textOf(headers[PROXY_SECRET]);
  if (secret === null) return null;
  return {
    secret,
    actor: textOf(headers[PROXY_ACTOR]),
    groups: textOf(headers[PROXY_GROUPS]) ?? '',
  };
}

/** The text of a header, sent as UTF-8. */
function textOf(header: string | readonly string[] | undefined): string | null {
  if (header === undefined) return null;
  return Buffer.from([header].flat().join(', '), 'latin1').toString('utf8').trim();
}
