import { Controller, Delete, Get, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { EVERYBODY, type Principal } from '#access';
import {
  credentialOf,
  expectNoParameters,
  noSessionCookie,
  principalOf,
  sessionCookie,
} from '#nest';

/** Somebody who is let in, and the limits of their rights; null: not limited. */
interface PublicCaller {
  /** The actor of what is done. */
  readonly name: string;
  readonly role: Principal['role'];
  readonly flows: readonly string[] | null;
  readonly labels: Readonly<Record<string, string>> | null;
  readonly modules: readonly string[] | null;
  /** Nobody is asked for a credential. */
  readonly everybody: boolean;
}

/**
 * Signs browsers in and out. The credential is kept in a cookie that no script can read, and that
 * counts for requests of the console alone.
 */
@Controller('v1/session')
export class SessionController {
  /** Takes the credential of the request into the cookie. */
  @Post()
  @HttpCode(200)
  signIn(
    @Query() query: unknown,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): PublicCaller {
    expectNoParameters(query);
    const principal = principalOf(request);
    if (principal !== EVERYBODY) {
      void reply.header('set-cookie', sessionCookie(request, credentialOf(request)));
    }
    return presentCaller(principal);
  }

  /** Tells a caller who they are to the server. */
  @Get()
  show(@Query() query: unknown, @Req() request: FastifyRequest): PublicCaller {
    expectNoParameters(query);
    return presentCaller(principalOf(request));
  }

  @Delete()
  @HttpCode(204)
  signOut(
    @Query() query: unknown,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): void {
    expectNoParameters(query);
    void reply.header('set-cookie', noSessionCookie(request));
  }
}

function presentCaller(principal: Principal): PublicCaller {
  const { flows, labels, modules, name, role } = principal;
  return { name, role, flows, labels, modules, everybody: principal === EVERYBODY };
}
