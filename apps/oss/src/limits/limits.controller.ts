import { Controller, Inject } from '@nestjs/common';
import { seesModule } from '#access';
import { expectMayChange, invalidRequest, Problem } from '#http-server';
import { type AdmissionRecord, allOf, type ModuleLimit, nullWhereUnreadable } from '#ports';
import { type CommonParts, type LimitParts, OSS_OPTIONS } from '../options.js';
import { type Asked, Handles } from '../requests/asked.js';
import { actorOf } from '../requests/headers.js';
import { pageOf } from '../requests/page.query.js';
import type { Shown } from '../requests/shown.js';
import { limitsOf } from './limits.request.js';
import { LIMIT_ROUTES } from './limits.routes.js';

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

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

  /** Sets the limits of a module. */
  @Handles(LIMIT_ROUTES.putLimits)
  async put({
    path: { module },
    body,
    principal,
    request,
  }: Asked<typeof LIMIT_ROUTES.putLimits>): Promise<Shown<'ModuleLimits'>> {
    expectMayChange(principal, { kind: 'limit', module });
    const limits = limitsOf(body);
    if (!NAME.test(module)) {
      const message = 'The name of a module has letters, digits, `-`, `_` and `.`, at most 100.';
      throw invalidRequest({ pointer: '/module', message });
    }
    const { clock, moduleLimits } = this.options;
    const before = await moduleLimits.get(module).catch(nullWhereUnreadable);
    const updatedAt = clock.now();
    const isSameLabel = before?.fairBy === limits.fairBy;
    const next = {
      ...{ module, ...limits, updatedAt, updatedBy: actorOf(request) },
      generation: (before?.generation ?? 0) + 1,
      fairSince: isSameLabel ? (before?.fairSince ?? updatedAt) : updatedAt,
    };
    await moduleLimits.put(next, 'any');
    return this.present(next);
  }

  /** From now on any number of its actions run. */
  @Handles(LIMIT_ROUTES.removeLimits)
  async remove({
    path: { module },
    principal,
  }: Asked<typeof LIMIT_ROUTES.removeLimits>): Promise<void> {
    expectMayChange(principal, { kind: 'limit', module });
    const isRemoved = NAME.test(module) && (await this.options.moduleLimits.remove(module, 'any'));
    if (!isRemoved) throw new Problem('NOT_FOUND', 'This module has no limits.');
  }

  private async present(limit: ModuleLimit): Promise<Shown<'ModuleLimits'>> {
    const { fairBy, generation, maxConcurrency, module, ratePerSecond } = limit;
    const { updatedAt, updatedBy } = limit;
    const admission = await this.options.admissions.get(module).catch(nullWhereUnreadable);
    return {
      ...{ module, maxConcurrency, ratePerSecond, fairBy },
      running: maxConcurrency === null ? null : runningIn(admission),
      generation,
      updatedAt: new Date(updatedAt).toISOString(),
      updatedBy,
    };
  }
}

/** How many actions count against a limit. */
function runningIn(admission: AdmissionRecord | null): number {
  return admission?.actions.filter(({ by }) => by !== null).length ?? 0;
}
