import { Controller, Get, Inject, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import { readiness } from './health.js';
import { HEALTH_OPTIONS, type HealthOptions } from './health-options.js';

/** Routes for load balancers, supervisors and scrapers. */
@Controller()
export class HealthController {
  constructor(@Inject(HEALTH_OPTIONS) private readonly options: HealthOptions) {}

  /** The process runs and its event loop turns. */
  @Get('livez')
  @RouteConfig({ isHealth: true })
  live(@Res() reply: FastifyReply): void {
    reply.send({ status: 'live' });
  }

  /** The process can do its work. */
  @Get('readyz')
  @RouteConfig({ isHealth: true })
  async ready(@Res() reply: FastifyReply): Promise<void> {
    const { auth = 'off', checks, clock, notes, signIn = null } = this.options;
    const result = await readiness(checks, clock);
    const code = result.status === 'ready' ? 200 : 503;
    const body = { ...result, auth, signIn, notes: notes?.() ?? [] };
    reply.code(code).send(body);
  }

  /** Numbers, in Prometheus' text format. */
  @Get('metrics')
  async metrics(@Res() reply: FastifyReply): Promise<void> {
    const { text, contentType } = this.options.metrics;
    reply.type(contentType).send(await text());
  }
}
