import { Controller, Delete, Get, HttpCode, Inject, Param, Put, Req, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Problem as FlowProblem } from '#flow-files';
import { expectNoParameters } from '#http-server';
import type { VersionEntry } from '#ports';
import { RequestWork } from '../access/request-work.js';
import { OSS_OPTIONS, type OssOptions } from '../options.js';
import { presentFinding, type PublicFinding } from './finding.presenter.js';
import { DIFF_QUERY, VERSIONS_QUERY } from './definition.query.js';
import { findFlow } from './find-flow.js';
import { diffFlows, type FlowDiff } from './flow-diff.js';
import { flowTag, presentFlow, type PublicFlow } from './flow.presenter.js';
import { FILE_FACTOR } from './flows.controller.js';
import { putFlow, retireFlow } from './put-flow.js';

/** The answer to the author of a flow. */
interface StoredFlow extends PublicFlow {
  /** The flow was retired until now. */
  readonly revived: boolean;
  readonly warnings: readonly PublicFinding[];
}

/** A version in a list; its time in seconds. */
interface PublicVersion {
  readonly version: number;
  readonly hash: string;
  readonly timeCreate: number;
}

/** Stores flows, retires them and compares their versions. */
@Controller('v1/flows')
export class DefinitionsController {
  constructor(
    @Inject(OSS_OPTIONS) private readonly options: OssOptions,
    private readonly work: RequestWork,
  ) {}

  /** Stores the newest version. The body is the flow as flow files write it, without its name. */
  @Put(':name([^:]+)')
  @RouteConfig({ bodyFactor: FILE_FACTOR, takesText: true })
  async put(
    @Param('name') name: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StoredFlow> {
    expectNoParameters(request.query);
    const { before, flow, warnings } = await putFlow(
      { ...this.options, work: this.work },
      name,
      request,
    );
    reply.code(before === null ? 201 : 200).header('etag', flowTag(flow));
    if (before === null) reply.header('location', `/v1/flows/${encodeURIComponent(name)}`);
    const revived = before?.standing === 'retired';
    return { ...presentFlow(flow), revived, warnings: warnings.map(presentFinding<FlowProblem>) };
  }

  /** From now on no task of it is made; its versions stay. */
  @Delete(':name([^:]+)')
  @HttpCode(204)
  async retire(@Param('name') name: string, @Req() request: FastifyRequest): Promise<void> {
    expectNoParameters(request.query);
    await retireFlow(this.options, name, request);
  }

  /** All versions there ever were, the newest first. */
  @Get(':name([^:]+)/versions')
  async versions(
    @Param('name') name: string,
    @Req() request: FastifyRequest,
  ): Promise<{ readonly items: readonly PublicVersion[]; readonly page: object }> {
    const { cursor: before, limit } = VERSIONS_QUERY.read(request.query);
    await findFlow(this.options, { name }, request);
    const found = await this.options.definitions.listVersions(name, limit + 1, before);
    const items = found.slice(0, limit);
    const last = found.length > limit ? items.at(-1) : undefined;
    const nextCursor = last === undefined ? null : `${last.version}`;
    return { items: items.map(presentVersion), page: { nextCursor } };
  }

  /** Compares this version with another: steps that only one of them has, changed members. */
  @Get(':name([^:]+)/versions/:version([^:]+)::diff')
  async diff(
    @Param('name') name: string,
    @Param('version') version: string,
    @Req() request: FastifyRequest,
  ): Promise<FlowDiff> {
    const { to } = DIFF_QUERY.read(request.query);
    const from = await findFlow(this.options, { name, version }, request);
    const other = to === undefined ? { name } : { name, version: `${to}` };
    return diffFlows(presentFlow(from), presentFlow(await findFlow(this.options, other, request)));
  }
}

function presentVersion({ createdAt, hash, version }: VersionEntry): PublicVersion {
  return { version, hash, timeCreate: Math.floor(createdAt / 1_000) };
}
