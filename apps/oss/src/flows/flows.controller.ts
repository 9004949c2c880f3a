import { Controller, Get, HttpCode, Inject, Param, Post, Req, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FlowVersion } from '#core';
import { expectNoParameters, principalOf } from '#http-server';
import { allOf } from '#ports';
import { visibleFlows } from '../access/visible.js';
import { OSS_OPTIONS, type OssOptions } from '../options.js';
import { type PublicFileProblem, visibleProblems } from './file-problems.js';
import { presentValidation, type PublicValidation } from './finding.presenter.js';
import { presentDrill, type PublicDrill } from './drill.presenter.js';
import { RequestWork } from '../access/request-work.js';
import { FLOWS_QUERY } from './definition.query.js';
import { findFlow } from './find-flow.js';
import { flowTag, presentFlow, type PublicFlow } from './flow.presenter.js';
import { checkRefusal, knownTo } from './put-flow.js';
import { RunCheck } from './run-check.js';

/** A flow file may be this many times as large as the body of a request. */
export const FILE_FACTOR = 4;

/** A version of a flow, and its latest drill; null: neither it nor one before was drilled. */
interface DrilledFlow extends PublicFlow {
  readonly drill: PublicDrill | null;
}

/** Shows flows as they are stored, and checks texts that are to become flows. */
@Controller('v1')
export class FlowsController {
  private readonly runs: RunCheck;

  constructor(
    @Inject(OSS_OPTIONS) private readonly options: OssOptions,
    private readonly work: RequestWork,
  ) {
    this.runs = new RunCheck(options);
  }

  /**
   * The newest version of every flow, and the mistakes in files; flows that are retired or lost
   * their file do not start, nor those with a step that no executor can run (`obstacle`).
   */
  @Get('flows')
  @RouteConfig({ isTagged: true })
  async list(@Req() request: FastifyRequest): Promise<{
    readonly items: readonly object[];
    readonly files: { readonly problems: readonly PublicFileProblem[] };
    readonly page: { readonly nextCursor: string | null };
  }> {
    const { cursor = '', limit } = FLOWS_QUERY.read(request.query);
    const { flowStore, flows } = this.options;
    const principal = principalOf(request);
    const all = visibleFlows(await flowStore.listFlows(), principal);
    const rest = all.filter(({ definition: { name } }) => name > cursor);
    const found = rest.slice(0, limit);
    const last = found.at(-1)?.definition.name ?? null;
    const drilled = await allOf(this.options.drills);
    const byVersion = drilled.toSorted((one, other) => one.version - other.version);
    const drills = new Map(byVersion.map((one) => [one.flow, presentDrill(one)]));
    const listed = found.map(async (version) => {
      const { name } = version.definition;
      const loaded = flows.find(name);
      const obstacle = loaded === undefined ? null : await this.runs.obstacleOf(loaded, principal);
      return {
        ...presentFlow(version),
        drill: drills.get(name) ?? null,
        file: flows.fileOf(name),
        startable: loaded !== undefined && obstacle === null,
        obstacle,
        retired: flows.isRetired(name),
      };
    });
    const items = await Promise.all(listed);
    const page = { nextCursor: rest.length > limit ? last : null };
    return { items, files: { problems: visibleProblems(flows, principal) }, page };
  }

  /** The newest version, and the file that it comes from. */
  @Get('flows/:name([^:]+)')
  @RouteConfig({ isTagged: true })
  async get(
    @Param('name') name: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<DrilledFlow & { readonly file: string | null }> {
    expectNoParameters(request.query);
    const found = await findFlow(this.options, { name }, request);
    const flow = await this.withDrill(found);
    reply.header('etag', flowTag(found, flow.drill));
    return { ...flow, file: this.options.flows.fileOf(name) };
  }

  /** Any version there ever was. */
  @Get('flows/:name([^:]+)/versions/:version([^:]+)')
  @RouteConfig({ isTagged: true })
  async getVersion(
    @Param('name') name: string,
    @Param('version') version: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<DrilledFlow> {
    expectNoParameters(request.query);
    const found = await findFlow(this.options, { name, version }, request);
    const flow = await this.withDrill(found);
    reply.header('etag', flowTag(found, flow.drill));
    return flow;
  }

  /** Checks a text as the content of a flow file. The body is the file itself. */
  @Post('flows::validate')
  @HttpCode(200)
  @RouteConfig({ bodyFactor: FILE_FACTOR, takesText: true })
  async validate(@Req() request: FastifyRequest): Promise<PublicValidation> {
    const { body, query } = request;
    expectNoParameters(query);
    const text = typeof body === 'string' ? body : '';
    return this.work.run(request, 'check', async (draft) => {
      const known = await knownTo(this.options, principalOf(request));
      try {
        return presentValidation(await this.options.checker.checkFile(text, known, draft));
      } catch (error) {
        throw checkRefusal(error);
      }
    });
  }

  private async withDrill(flow: FlowVersion): Promise<DrilledFlow> {
    const { definition, version: upTo } = flow;
    const newest = { index: 'version', of: [definition.name], isDescending: true } as const;
    const [drill] = await this.options.drills.list({ ...newest, upTo, limit: 1 });
    return { ...presentFlow(flow), drill: drill === undefined ? null : presentDrill(drill) };
  }
}
