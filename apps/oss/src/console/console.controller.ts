import { Controller, Get, Inject, Param, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import { Problem } from '#http-server';
import { type ConsoleFile, type ConsoleFiles, formFor } from './console-files.js';

/** Under this name Nest finds the files of the console. */
export const CONSOLE_FILES = Symbol('console files');

/** Everything comes from here, and nothing that stands in a page is run. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const FOR_GOOD = 'public, max-age=31536000, immutable';
const ASK_AGAIN = 'no-cache';

/** Serves the console; what a page shows, it asks of the public interface. */
@Controller()
export class ConsoleController {
  constructor(@Inject(CONSOLE_FILES) private readonly files: ConsoleFiles) {}

  /** People who type the bare address want the console. */
  @Get()
  @RouteConfig({ isPage: true })
  root(@Res() reply: FastifyReply): void {
    reply.header('cache-control', ASK_AGAIN).redirect('/console/', 302);
  }

  /** Without the slash. */
  @Get('console')
  @RouteConfig({ isPage: true })
  bare(@Res() reply: FastifyReply): void {
    reply.header('cache-control', ASK_AGAIN).redirect('/console/', 302);
  }

  /** A file; every other address is one of the page, which finds out by itself what it shows. */
  @Get('console/*')
  @RouteConfig({ isPage: true, isTagged: true })
  file(@Param('*') name: string, @Res() reply: FastifyReply): void {
    const isPage = !/^assets\/|\.\w+$/.test(name);
    const file = isPage ? this.files.page : this.files.find(name);
    if (file === undefined) throw new Problem('NOT_FOUND', 'There is nothing at this address.');
    send(file, reply);
  }
}

function send(file: ConsoleFile, reply: FastifyReply): void {
  const { bytes, encoding, tag } = formFor(file, reply.request.headers['accept-encoding']);
  reply
    .header('etag', tag)
    .header('vary', 'Origin, Accept-Encoding')
    .header('cache-control', file.isImmutable ? FOR_GOOD : ASK_AGAIN)
    .header('content-security-policy', POLICY)
    .header('referrer-policy', 'no-referrer');
  if (encoding !== null) reply.header('content-encoding', encoding);
  reply.type(file.type).send(bytes);
}
