import { Controller, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { EVERYBODY, hasRightsOf, type Principal, seesEverything } from '#access';
import { credentialOf, invalidRequest, noSessionCookie, sessionCookie } from '#http-server';
import { ROLES } from '#ports';
import { type AccessParts, OSS_OPTIONS } from '../options.js';
import { SESSION_ROUTES } from './session.routes.js';
import { type Asked, Handles } from '../requests/asked.js';
import type { Shown } from '../requests/shown.js';

/** A person who is let in, and the limits of their rights; null: not limited. */
type PublicCaller = Shown<'Caller'>;

/** A person who has signed in. */
type PublicSession = Shown<'SignedIn'>;

/**
 * Signs browsers in and out. The credential is kept in a cookie that no script can read, and that
 * counts for requests of the console alone.
 */
@Controller()
export class SessionController {
  constructor(@Inject(OSS_OPTIONS) private readonly options: AccessParts) {}

  /** Takes the credential of the request into the cookie. */
  @Handles(SESSION_ROUTES.signIn)
  async signIn(
    { principal, request }: Asked<typeof SESSION_ROUTES.signIn>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PublicSession> {
    const credential = credentialOf(request);
    // A browser that has shown a certificate shows it with every request, and keeps nothing more.
    // The credential of whom a proxy vouches for was not looked at.
    const isVouchedFor = principal.somebody?.way === 'proxy';
    if (principal === EVERYBODY || credential === '' || isVouchedFor) {
      return { ...presentCaller(principal), proof: null };
    }
    const { cookie, proof } = await this.options.keyRing.keep(credential, principal);
    void reply.header('set-cookie', sessionCookie(request, expectKeepable(cookie)));
    return { ...presentCaller(principal), proof };
  }

  /** Tells a caller who they are to the server. */
  @Handles(SESSION_ROUTES.getCaller)
  show({ principal }: Asked<typeof SESSION_ROUTES.getCaller>): PublicCaller {
    return presentCaller(principal);
  }

  /** The session is of no use any more, also where a person has copied it. */
  @Handles(SESSION_ROUTES.signOut)
  async signOut(
    { principal, request }: Asked<typeof SESSION_ROUTES.signOut>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    void reply.header('set-cookie', noSessionCookie(request));
    await this.options.keyRing.endSession(credentialOf(request), principal);
  }
}

/** Browsers keep 4,096 characters of a cookie, its name among them, and drop others in silence. */
const KEPT_MAX = 4_000;

function expectKeepable(credential: string): string {
  if (credential.length <= KEPT_MAX) return credential;
  const message = `The token has ${credential.length} characters; browsers keep ${KEPT_MAX}.`;
  const hint = 'Have the issuer put less into it, or sign in at the issuer.';
  throw invalidRequest({ pointer: '/Authorization', message, hint });
}

function presentCaller(principal: Principal): PublicCaller {
  const { flows, labels, modules, name, role } = principal;
  return {
    name,
    role,
    may: ROLES.filter((one) => hasRightsOf(role, one)),
    seesEverything: seesEverything(principal),
    flows,
    labels,
    modules,
    everybody: principal === EVERYBODY,
  };
}
