import { Controller, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { FlowVersion } from '#core';
import { expectMayChange, Problem } from '#http-server';
import { allOf, sourceId } from '#ports';
import { visibleFlows } from '../access/visible.js';
import { type CommonParts, type FlowParts, OSS_OPTIONS } from '../options.js';
import { visibleProblems } from './file-problems.js';
import { presentValidation, type PublicValidation } from './finding.presenter.js';
import { RequestWork } from '../access/request-work.js';
import { findFlow } from './find-flow.js';
import {
  flowTag,
  presentDrill,
  presentFlow,
  type PublicDrill,
  type PublicFlow,
} from './flow.presenter.js';
import { checkRefusal, knownTo } from './put-flow.js';
import { modulesOf } from '../tasks/modules-of.js';
import { RunCheck } from './run-check.js';
import { FLOW_ROUTES, JSONC_TYPE } from './flows.routes.js';
import { type Asked, Handles } from '../requests/asked.js';
import type { Shown } from '../requests/shown.js';

/** A version of a flow, and its latest drill; null: neither it nor one before was drilled. */
interface DrilledFlow extends PublicFlow {
  readonly drill: PublicDrill | null;
}

/** Shows flows as they are stored and how they fared in drills, and checks texts of flows. */
@Controller()
export class FlowsController {
  private readonly runs: RunCheck;

  constructor(
    @Inject(OSS_OPTIONS) private readonly options: CommonParts & FlowParts,
    private readonly work: RequestWork,
  ) {
    this.runs = new RunCheck(options);
  }

  /**
   * The newest version of every flow, and the mistakes in files; flows that are retired or lost
   * their file do not start, nor those with a step that no executor can run (`obstacle`).
   */
  @Handles(FLOW_ROUTES.listFlows)
  async list({ query, principal }: Asked<typeof FLOW_ROUTES.listFlows>): Promise<Shown<'Flows'>> {
    const { cursor = '', limit } = query;
    const { flowStore, flows } = this.options;
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
  @Handles(FLOW_ROUTES.getFlow)
  async get(
    { path: { name }, principal }: Asked<typeof FLOW_ROUTES.getFlow>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Shown<'Flow'>> {
    const found = await findFlow(this.options, { name }, principal);
    const flow = await this.withDrill(found);
    reply.header('etag', flowTag(found, flow.drill));
    return { ...flow, file: this.options.flows.fileOf(name) };
  }

  /** Any version there ever was. */
  @Handles(FLOW_ROUTES.getFlowVersion)
  async getVersion(
    { path: { name, version }, principal }: Asked<typeof FLOW_ROUTES.getFlowVersion>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<DrilledFlow> {
    const found = await findFlow(this.options, { name, version }, principal);
    const flow = await this.withDrill(found);
    reply.header('etag', flowTag(found, flow.drill));
    return flow;
  }

  /** The text of a version, as its author wrote it. */
  @Handles(FLOW_ROUTES.getFlowSource)
  async getSource(
    { path, principal }: Asked<typeof FLOW_ROUTES.getFlowSource>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const { name } = path;
    const found = await findFlow(this.options, path, principal);
    const { version } = found;
    const source = await this.options.sources.get(sourceId({ flow: name, version }));
    if (source === null) {
      const message = `No text was stored for version ${version} of flow ${name}.`;
      throw new Problem('FLOW_NOT_FOUND', message);
    }
    reply.type(`${JSONC_TYPE}; charset=utf-8`).header('etag', flowTag(found, source));
    return source.text;
  }

  /** Checks a text as the content of a flow file. The body is the file itself. */
  @Handles(FLOW_ROUTES.validateFlow)
  async validate({
    body,
    principal,
    request,
  }: Asked<typeof FLOW_ROUTES.validateFlow>): Promise<PublicValidation> {
    const text = typeof body === 'string' ? body : '';
    return this.work.run(request, 'check', async (draft) => {
      const known = await knownTo(this.options, principal);
      try {
        return presentValidation(await this.options.checker.checkFile(text, known, draft));
      } catch (error) {
        throw checkRefusal(error);
      }
    });
  }

  /** Takes the place of the result of the drill before of this version. */
  @Handles(FLOW_ROUTES.recordDrill)
  async recordDrill(asked: Asked<typeof FLOW_ROUTES.recordDrill>): Promise<PublicDrill> {
    const { path, principal } = asked;
    const flow = await findFlow(this.options, path, principal);
    expectMayChange(principal, { kind: 'flow', flow: path.name, modules: modulesOf(flow) });
    // Read late: a wrong body says nothing of a flow that one does not see.
    const { failures, total } = asked.body;
    if (failures > total) {
      const message = '`failures` must not be more than `total`.';
      throw new Problem('INVALID_PARAMETERS', message, {
        errors: [{ pointer: '/failures', message }],
      });
    }
    const at = this.options.clock.now();
    const record = { flow: path.name, version: flow.version, at, failures, total };
    await this.options.drills.put(record, 'any');
    return presentDrill(record);
  }

  private async withDrill(flow: FlowVersion): Promise<DrilledFlow> {
    const { definition, version: upTo } = flow;
    const newest = { index: 'version', of: [definition.name], isDescending: true } as const;
    const [drill] = await this.options.drills.list({ ...newest, upTo, limit: 1 });
    return { ...presentFlow(flow), drill: drill === undefined ? null : presentDrill(drill) };
  }
}
