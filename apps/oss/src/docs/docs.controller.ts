import { Controller, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Problem } from '#http-server';
import { OSS_OPTIONS, type OssOptions } from '../options.js';
import { DOCS_PAGE, ERRORS_PAGE, FINDINGS_PAGE, INDEX_PAGE, type Page } from './pages.js';
import { openApiDocument } from './openapi.js';
import { DOCUMENT_ROUTES } from './docs.routes.js';
import { type Asked, Handles } from '../requests/asked.js';

/** Describes the interface, to programs and to people. */
@Controller()
export class DocsController {
  /** Made when it is first asked for: most processes never are. */
  #document: string | undefined;

  constructor(@Inject(OSS_OPTIONS) private readonly options: Pick<OssOptions, 'auth' | 'guide'>) {}

  /** OpenAPI 3.1. */
  @Handles(DOCUMENT_ROUTES.openapi)
  document(_asked: Asked<typeof DOCUMENT_ROUTES.openapi>, @Res() reply: FastifyReply): void {
    this.#document ??= JSON.stringify(openApiDocument(this.options.auth));
    reply.type('application/json; charset=utf-8').send(this.#document);
  }

  /** The same, to read. */
  @Handles(DOCUMENT_ROUTES.docs)
  docs(_asked: Asked<typeof DOCUMENT_ROUTES.docs>, @Res() reply: FastifyReply): void {
    sendPage(reply, DOCS_PAGE);
  }

  /** The page of errors: the meaning of each code, and what to do about it. */
  @Handles(DOCUMENT_ROUTES.errors)
  errors(_asked: Asked<typeof DOCUMENT_ROUTES.errors>, @Res() reply: FastifyReply): void {
    sendPage(reply, ERRORS_PAGE);
  }

  /** The page of what can be found in a flow: what it means, an example, and the same mended. */
  @Handles(DOCUMENT_ROUTES.findings)
  findings(_asked: Asked<typeof DOCUMENT_ROUTES.findings>, @Res() reply: FastifyReply): void {
    sendPage(reply, FINDINGS_PAGE);
  }

  /** A page of the documentation; `contents` leads to all of them. */
  @Handles(DOCUMENT_ROUTES.guide)
  guide({ path: { page } }: Asked<typeof DOCUMENT_ROUTES.guide>, @Res() reply: FastifyReply): void {
    this.#send(reply, page);
  }

  /** The record of a decision, to which those pages lead. */
  @Handles(DOCUMENT_ROUTES.decision)
  decision(
    { path: { page } }: Asked<typeof DOCUMENT_ROUTES.decision>,
    @Res() reply: FastifyReply,
  ): void {
    this.#send(reply, `adr/${page}`);
  }

  #send(reply: FastifyReply, name: string): void {
    const page = this.options.guide?.page(name) ?? null;
    if (page === null) throw new Problem('NOT_FOUND', 'There is no page of this name.');
    sendPage(reply, page);
  }
}

/** Answers with a page that may load nothing from anywhere else. */
function sendPage(reply: FastifyReply, { html, policy }: Page): void {
  reply
    .header('content-security-policy', policy)
    .header('referrer-policy', 'no-referrer')
    .type('text/html; charset=utf-8')
    .send(html);
}

/** Serves the page at `/` where no console is served. */
@Controller()
export class IndexController {
  @Handles(DOCUMENT_ROUTES.index)
  index(_asked: Asked<typeof DOCUMENT_ROUTES.index>, @Res() reply: FastifyReply): void {
    sendPage(reply, INDEX_PAGE);
  }
}
