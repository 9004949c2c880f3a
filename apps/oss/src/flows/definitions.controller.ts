import { Controller, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Problem as FlowProblem } from '#flow-files';
import type { VersionEntry } from '#ports';
import { RequestWork } from '../access/request-work.js';
import { type CommonParts, type FlowParts, OSS_OPTIONS } from '../options.js';
import { presentFinding } from './finding.presenter.js';
import { findFlow } from './find-flow.js';
import { diffFlows } from './flow-diff.js';
import { flowTag, presentFlow } from './flow.presenter.js';
import { putFlow, retireFlow } from './put-flow.js';
import { FLOW_ROUTES } from './flows.routes.js';
import { type Asked, Handles } from '../requests/asked.js';
import type { Shown } from '../requests/shown.js';

/** Stores flows, retires them and compares their versions. */
@Controller()
export class DefinitionsController {
  constructor(
    @Inject(OSS_OPTIONS) private readonly options: CommonParts & FlowParts,
    private readonly work: RequestWork,
  ) {}

  /** Stores the newest version. The body is the flow as flow files write it, without its name. */
  @Handles(FLOW_ROUTES.putFlow)
  async put(
    { path: { name }, request }: Asked<typeof FLOW_ROUTES.putFlow>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Shown<'StoredFlow'>> {
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
  @Handles(FLOW_ROUTES.retireFlow)
  async retire({ path: { name }, request }: Asked<typeof FLOW_ROUTES.retireFlow>): Promise<void> {
    await retireFlow(this.options, name, request);
  }

  /** All versions there ever were, the newest first. */
  @Handles(FLOW_ROUTES.listVersions)
  async versions({
    path: { name },
    query,
    principal,
  }: Asked<typeof FLOW_ROUTES.listVersions>): Promise<Shown<'FlowVersions'>> {
    const { cursor: before, limit } = query;
    await findFlow(this.options, { name }, principal);
    const found = await this.options.definitions.listVersions(name, limit + 1, before);
    const items = found.slice(0, limit);
    const last = found.length > limit ? items.at(-1) : undefined;
    const nextCursor = last === undefined ? null : `${last.version}`;
    return { items: items.map(presentVersion), page: { nextCursor } };
  }

  /** Compares this version with another: steps that only one of them has, changed members. */
  @Handles(FLOW_ROUTES.diffVersions)
  async diff({
    path: { name, version },
    query,
    principal,
  }: Asked<typeof FLOW_ROUTES.diffVersions>): Promise<Shown<'FlowDiff'>> {
    const { to } = query;
    const from = await findFlow(this.options, { name, version }, principal);
    const other = to === undefined ? { name } : { name, version: `${to}` };
    return diffFlows(
      presentFlow(from),
      presentFlow(await findFlow(this.options, other, principal)),
    );
  }
}

function presentVersion({
  createdAt,
  hash,
  version,
}: VersionEntry): Shown<'FlowVersions'>['items'][number] {
  return { version, hash, timeCreate: Math.floor(createdAt / 1_000) };
}
