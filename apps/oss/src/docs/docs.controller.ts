import { Controller, Get, Inject, Param, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import { Problem } from '#http-server';
import { OSS_OPTIONS, type OssOptions } from '../options.js';
import { DOCS_PAGE, ERRORS_PAGE, FINDINGS_PAGE, type Page } from './pages.js';
import { openApiDocument } from './openapi.js';

/** Describes the interface, to programs and to people. */
@Controller()
export class DocsController {
  private readonly text: string;

  constructor(@Inject(OSS_OPTIONS) private readonly options: Pick<OssOptions, 'auth' | 'guide'>) {
    this.text = JSON.stringify(openApiDocument(options.auth));
  }

  /** OpenAPI 3.1. */
  @Get('openapi.json')
  document(@Res() reply: FastifyReply): void {
    reply.type('application/json; charset=utf-8').send(this.text);
  }

  /** The same, to read. */
  @Get('docs')
  @RouteConfig({ isPage: true })
  docs(@Res() reply: FastifyReply): void {
    sendPage(reply, DOCS_PAGE);
  }

  /** The page of errors: the meaning of each code, and what to do about it. */
  @Get('docs/errors')
  @RouteConfig({ isPage: true })
  errors(@Res() reply: FastifyReply): void {
    sendPage(reply, ERRORS_PAGE);
  }

  /** The page of what can be found in a flow: what it means, an example, and the same mended. */
  @Get('docs/findings')
  @RouteConfig({ isPage: true })
  findings(@Res() reply: FastifyReply): void {
    sendPage(reply, FINDINGS_PAGE);
  }

  /** A page of the documentation; `contents` leads to all of them. */
  @Get('docs/:page')
  @RouteConfig({ isPage: true })
  guide(@Param('page') page: string, @Res() reply: FastifyReply): void {
    this.#send(reply, page);
  }

  /** The record of a decision, to which those pages lead. */
  @Get('docs/adr/:page')
  @RouteConfig({ isPage: true })
  decision(@Param('page') page: string, @Res() reply: FastifyReply): void {
    this.#send(reply, `adr/${page}`);
  }

  #send(reply: FastifyReply, name: string): void {
    const page = this.options.guide?.page(name) ?? null;
    if (page === null) throw new Problem('NOT_FOUND', 'There is no page of this name.');
    sendPage(reply, page);
  }
}

/** Answers with a page that may load nothing from anywhere else. */
export function sendPage(reply: FastifyReply, { html, policy }: Page): void {
  reply
    .header('content-security-policy', policy)
    .header('referrer-policy', 'no-referrer')
    .type('text/html; charset=utf-8')
    .send(html);
}
