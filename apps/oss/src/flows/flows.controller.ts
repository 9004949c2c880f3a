import { Controller, Get, HttpCode, Inject, Param, Post, Req } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import type { FlowVersion } from '#core';
import { CheckerBusy, CheckTooCostly, type Validation } from '#flow-files';
import { seesFlow } from '#access';
import { expectNoParameters, principalOf, Problem } from '#nest';
import { visibleFlows } from '../access/visible.js';
import { tooManyChecks } from '../requests/too-many-checks.js';
import { OSS_OPTIONS, type OssOptions } from '../options.js';
import { presentFlow, type PublicFlow } from './flow.presenter.js';

/** A flow file may be this many times as large as the body of a request. */
const FILE_FACTOR = 4;

/** Shows flows as they are stored, and checks texts that are to become flows. */
@Controller('v1')
export class FlowsController {
  constructor(@Inject(OSS_OPTIONS) private readonly options: OssOptions) {}

  /** The newest version of every flow; `startable` is false where its file is gone. */
  @Get('flows')
  async list(@Req() request: FastifyRequest): Promise<{ readonly items: readonly object[] }> {
    expectNoParameters(request.query);
    const { flowStore, flows } = this.options;
    const found = visibleFlows(await flowStore.listFlows(), principalOf(request));
    const items = found.map((version) => {
      const startable = flows.find(version.definition.name) !== undefined;
      return { ...presentFlow(version), startable };
    });
    return { items };
  }

  /** The newest version. */
  @Get('flows/:name([^:]+)')
  async get(@Param('name') name: string, @Req() request: FastifyRequest): Promise<PublicFlow> {
    expectNoParameters(request.query);
    return presentFlow(await this.find(request, name));
  }

  /** Any version there ever was. */
  @Get('flows/:name([^:]+)/versions/:version')
  async getVersion(
    @Param('name') name: string,
    @Param('version') version: string,
    @Req() request: FastifyRequest,
  ): Promise<PublicFlow> {
    expectNoParameters(request.query);
    if (!/^[1-9]\d{0,8}$/.test(version)) throw flowNotFound(`${name} at version ${version}`);
    return presentFlow(await this.find(request, name, Number(version)));
  }

  /** Checks a text as the content of a flow file. The body is the file itself. */
  @Post('flows::validate')
  @HttpCode(200)
  @RouteConfig({ bodyFactor: FILE_FACTOR, takesText: true })
  async validate(@Req() { body, query }: FastifyRequest): Promise<Validation> {
    expectNoParameters(query);
    const { checker, commands } = this.options;
    try {
      return await checker.checkFile(typeof body === 'string' ? body : '', commands);
    } catch (error) {
      throw refusal(error);
    }
  }

  private async find(
    request: FastifyRequest,
    name: string,
    version?: number,
  ): Promise<FlowVersion> {
    const isSeen = !/\p{Cc}/u.test(name) && seesFlow(principalOf(request), name);
    const found = !isSeen ? null : await this.options.flowStore.getFlow(name, version);
    if (found !== null) return found;
    throw flowNotFound(version === undefined ? name : `${name} at version ${version}`);
  }
}

function refusal(error: unknown): unknown {
  if (error instanceof CheckTooCostly) {
    return new Problem('FLOW_FILE_TOO_COSTLY', `The file cannot be checked: ${error.message}`);
  }
  return error instanceof CheckerBusy ? tooManyChecks() : error;
}

function flowNotFound(what: string): Problem {
  const shown = what.length > 200 ? `${what.slice(0, 200)}...` : what;
  return new Problem('FLOW_NOT_FOUND', `There is no flow ${JSON.stringify(shown)}.`);
}
