import { Controller, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { sendPage } from './docs.controller.js';
import { INDEX_PAGE } from './pages.js';
import { DOCUMENT_ROUTES } from './docs.routes.js';
import { type Asked, Handles } from '../requests/asked.js';

/** Serves the page at `/` where no console is served. */
@Controller()
export class IndexController {
  @Handles(DOCUMENT_ROUTES.index)
  index(_asked: Asked<typeof DOCUMENT_ROUTES.index>, @Res() reply: FastifyReply): void {
    sendPage(reply, INDEX_PAGE);
  }
}
