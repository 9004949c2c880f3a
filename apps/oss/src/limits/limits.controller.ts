import { isDeepStrictEqual } from 'node:util';
import { Controller, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { seesModule } from '#access';
import { expectMayChange, invalidRequest } from '#http-server';
import { type AdmissionRecord, allOf, type ModuleLimit, nullWhereUnreadable } from '#ports';
import { type CommonParts, type LimitParts, OSS_OPTIONS } from '../options.js';
import { type Asked, Handles } from '../requests/asked.js';
import { actorOf } from '../requests/headers.js';
import { type NamedResource, putNamed, removeNamed } from '../requests/named-resource.js';
import { pageOf } from '../requests/page.query.js';
import type { Shown } from '../requests/shown.js';
import { limitsOf } from './limits.request.js';
import { LIMIT_ROUTES } from './limits.routes.js';

/** Most waiting actions that are counted in each direction. */
const WAITING_MAX = 100;

/** Keeps how many actions of a module run at a time, and start in a second. */
@Controller()
export class LimitsController {
  constructor(@Inject(OSS_OPTIONS) private readonly options: CommonParts & LimitParts) {}

  /** Modules with limits, by name. */
  @Handles(LIMIT_ROUTES.listLimits)
  async list({
    principal,
    query,
  }: Asked<typeof LIMIT_ROUTES.listLimits>): Promise<Shown<'ModuleLimitsPage'>> {
    const all = await allOf(this.options.moduleLimits);
    const seen = all.filter(({ module }) => seesModule(principal, module));
    const { items, page } = pageOf(seen, ({ module }) => module, query);
    return { items: await Promise.all(items.map((limit) => this.present(limit))), page };
  }

  /** Sets the limits of a module; the same again changes nothing. */
  @Handles(LIMIT_ROUTES.putLimits)
  async put(
    { path: { module }, body, principal, request }: Asked<typeof LIMIT_ROUTES.putLimits>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Shown<'ModuleLimits'>> {
    expectMayChange(principal, { kind: 'limit', module });
    const limits = limitsOf(body);
    const updatedBy = actorOf(request);
    const change = (before: ModuleLimit | null): ModuleLimit => {
      if (before !== null && areSame(before, limits)) return before;
      const updatedAt = this.options.clock.now();
      const isSameLabel = before?.fairBy === limits.fairBy;
      return {
        ...{ module, ...limits, updatedAt, updatedBy },
        generation: (before?.generation ?? 0) + 1,
        fairSince: isSameLabel ? before.fairSince : updatedAt,
      };
    };
    const { record } = await putNamed(this.resource, module, { change, request });
    reply.header('etag', `"${record.generation}"`);
    return this.present(record);
  }

  /** From now on any number of its actions run. */
  @Handles(LIMIT_ROUTES.removeLimits)
  async remove({
    path: { module },
    principal,
    request,
  }: Asked<typeof LIMIT_ROUTES.removeLimits>): Promise<void> {
    expectMayChange(principal, { kind: 'limit', module });
    await removeNamed(this.resource, module, request);
  }

  private get resource(): NamedResource<ModuleLimit> {
    return {
      records: this.options.moduleLimits,
      noun: 'module limit',
      notFound: 'NOT_FOUND',
      sees: (principal, { module }) => seesModule(principal, module),
      changed: ({ module }) => ({ kind: 'limit', module }),
      wrongName: (fault) => invalidRequest({ ...fault, pointer: '/module' }),
    };
  }

  private async present(limit: ModuleLimit): Promise<Shown<'ModuleLimits'>> {
    const { fairBy, generation, maxConcurrency, module, ratePerSecond } = limit;
    const { updatedAt, updatedBy } = limit;
    const [admission, waiting] = await Promise.all([
      this.options.admissions.get(module).catch(nullWhereUnreadable),
      this.waitingFor(module),
    ]);
    return {
      ...{ module, maxConcurrency, ratePerSecond, fairBy },
      running: maxConcurrency === null ? null : runningIn(admission),
      ...{ waiting, generation },
      updatedAt: new Date(updatedAt).toISOString(),
      updatedBy,
    };
  }

  /** How many actions wait, each direction up to a bound, so that a long line costs no more. */
  private async waitingFor(module: string): Promise<number> {
    const lines = (['normal', 'rollback'] as const).map((direction) => {
      const of = [module, direction];
      return this.options.waitingActions.list({ index: 'line', of, limit: WAITING_MAX });
    });
    return (await Promise.all(lines)).flat().length;
  }
}

function areSame(before: ModuleLimit, limits: ReturnType<typeof limitsOf>): boolean {
  const { fairBy, maxConcurrency, ratePerSecond } = before;
  return isDeepStrictEqual({ fairBy, maxConcurrency, ratePerSecond }, limits);
}

/** How many actions count against a limit. */
function runningIn(admission: AdmissionRecord | null): number {
  return admission?.actions.filter(({ by }) => by !== null).length ?? 0;
}
