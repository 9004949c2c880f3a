import { Controller, Inject, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  IssuerUnavailable,
  NoRoleGiven,
  type SignIn,
  SignInFailed,
  TICKET_MS,
  TooManySignIns,
} from '#access';
import {
  clientAddress,
  isOverTls,
  noTicketCookie,
  Problem,
  sessionCookie,
  ticketCookie,
  ticketOf,
} from '#http-server';
import { type AccessParts, type CommonParts, OSS_OPTIONS } from '../options.js';
import { FIRST_PAGE, readReturnPage } from './return-page.js';
import { SESSION_ROUTES } from './session.routes.js';
import { type Asked, Handles } from '../requests/asked.js';

/** Where a browser begins to sign in. */
export const SIGN_IN = '/v1/session/oidc';

/** Where the provider sends browsers back to. */
export const CALLBACK = `${SIGN_IN}/callback`;
const LOGIN_PAGE = '/console/login';
/** Seconds after which the issuer is asked again. */
const ISSUER_RETRY_SECONDS = '2';

/**
 * Signs people in at the identity provider. Both addresses are ones that a browser opens by itself,
 * from a page of elsewhere: what they do depends on the ticket that this browser keeps.
 */
@Controller()
export class SignInController {
  constructor(@Inject(OSS_OPTIONS) private readonly options: CommonParts & AccessParts) {}

  /** Sends the browser to the provider. */
  @Handles(SESSION_ROUTES.beginSignIn)
  async begin(
    { query, request }: Asked<typeof SESSION_ROUTES.beginSignIn>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { callback, signIn } = this.partsFor(request);
    const returnTo = query.returnTo ?? FIRST_PAGE;
    const begun = signIn.begin(callback, returnTo);
    const { location, ticket } = await begun.catch((error: Error) => {
      throw problemFor(error, request);
    });
    reply.header('set-cookie', ticketCookie(request, ticket, TICKET_MS / 1_000));
    leave(reply, location);
  }

  /** The provider sends the browser here. */
  @Handles(SESSION_ROUTES.finishSignIn)
  async finish(
    { query, request }: Asked<typeof SESSION_ROUTES.finishSignIn>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { callback, signIn } = this.partsFor(request);
    const finished = signIn.finish(ticketOf(request), callback, query);
    const { principal, returnTo, session } = await finished.catch((error: Error) => {
      this.noteRefusal(error, request);
      throw problemFor(error, request);
    });
    await this.options.trail.add({
      at: this.options.clock.now(),
      actor: principal.name,
      keyId: principal.keyId,
      operation: `GET ${CALLBACK}`,
      target: CALLBACK,
      status: 302,
      reason: null,
      requestId: request.id,
    });
    reply.header('set-cookie', [sessionCookie(request, session), noTicketCookie(request)]);
    const page = readReturnPage(returnTo) ?? FIRST_PAGE;
    leave(reply, `${LOGIN_PAGE}?to=${encodeURIComponent(page)}`);
  }

  private noteRefusal(error: Error, { id: requestId, socket }: FastifyRequest): void {
    const isRoleless = error instanceof NoRoleGiven;
    if (!isRoleless && !(error instanceof SignInFailed)) return;
    const [why, status] = isRoleless
      ? ['sign-in: the token gives no role', 403]
      : [`sign-in: ${error.message}`, 400];
    const address = clientAddress(socket);
    this.options.refusedSignIns?.note({ address, why, status, target: CALLBACK, requestId });
  }

  private partsFor(request: FastifyRequest): {
    readonly signIn: Pick<SignIn, 'begin' | 'finish'>;
    readonly callback: string;
  } {
    const { signIn } = this.options;
    if (signIn === null) {
      const detail = 'Sign-in at an identity provider is not configured here.';
      throw new Problem('NOT_FOUND', detail);
    }
    const { host = '' } = request.headers;
    const own = `${isOverTls(request) ? 'https' : 'http'}://${host}${CALLBACK}`;
    return { signIn: signIn.at, callback: signIn.callback ?? own };
  }
}

/** The address has codes in it, which nobody else shall see. */
function leave(reply: FastifyReply, location: string): void {
  reply.header('referrer-policy', 'no-referrer').redirect(location, 302);
}

/** Where the provider does not answer, the ticket stays: the page may be asked for again. */
function problemFor(error: Error, request: FastifyRequest): Error {
  if (error instanceof IssuerUnavailable) {
    const headers = { 'retry-after': ISSUER_RETRY_SECONDS };
    const detail = 'The identity provider does not answer, so nobody can sign in there now.';
    return new Problem('ISSUER_UNAVAILABLE', detail, { headers, cause: error });
  }
  if (error instanceof TooManySignIns) {
    const headers = { 'retry-after': '1' };
    return new Problem('TOO_MANY_REQUESTS', 'Too many people sign in at once.', { headers });
  }
  const headers = { 'set-cookie': noTicketCookie(request) };
  if (error instanceof NoRoleGiven) {
    return new Problem('FORBIDDEN', `You have signed in, but ${error.message}.`, { headers });
  }
  if (!(error instanceof SignInFailed)) return error;
  return new Problem('SIGN_IN_FAILED', `The sign-in failed: ${error.message}.`, { headers });
}
