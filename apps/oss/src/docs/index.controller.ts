import { Controller, Get, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import { sendPage } from './docs.controller.js';
import { INDEX_PAGE } from './pages.js';

/** Serves the page at `/` where no console is served. */
@Controller()
export class IndexController {
  @Get()
  @RouteConfig({ isPage: true })
  index(@Res() reply: FastifyReply): void {
    sendPage(reply, INDEX_PAGE);
  }
}
