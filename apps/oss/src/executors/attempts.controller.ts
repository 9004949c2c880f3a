import { Controller, Inject } from '@nestjs/common';
import { RequestWork } from '../access/request-work.js';
import { type CommonParts, type ExecutorParts, OSS_OPTIONS } from '../options.js';
import { type Asked, Handles } from '../requests/asked.js';
import { pageOf } from '../requests/page.query.js';
import type { Shown } from '../requests/shown.js';
import { moment } from '../why/cause.js';
import { EXECUTOR_ROUTES } from './executors.routes.js';
import { AttemptSearch, placeOf, type RunningAttempt } from './running-attempts.js';

type PublicAttempts = Shown<'Attempts'>;

/** Shows which attempts of steps run now. */
@Controller()
export class AttemptsController {
  constructor(
    @Inject(OSS_OPTIONS)
    private readonly options: CommonParts & Pick<ExecutorParts, 'executors'>,
    private readonly search: AttemptSearch,
    private readonly work: RequestWork,
  ) {}

  /** One page, the oldest first. */
  @Handles(EXECUTOR_ROUTES.listAttempts)
  async list(asked: Asked<typeof EXECUTOR_ROUTES.listAttempts>): Promise<PublicAttempts> {
    const { principal, query, request } = asked;
    const { filter } = query;
    const { attempts, isCut } = await this.work.run(request, 'read', (signal) => {
      return this.search.find(filter, principal, signal);
    });
    const { items, page } = pageOf(attempts, placeOf, query.page);
    const now = this.options.clock.now();
    const progressOf = await this.options.progress.look();
    const buildOf = await this.buildsOf(items);
    const shown = items.map((attempt) => {
      const progress = progressOf?.({ ...attempt, run: attempt.id }) ?? null;
      const build = attempt.build ?? buildOf.get(attempt.executor) ?? null;
      return { ...present(attempt, now), build, ...(progress !== null && { progress }) };
    });
    return { items: shown, isCut, page };
  }

  /** The builds of executors that run attempts which do not tell it, by instance. */
  private async buildsOf(
    attempts: readonly RunningAttempt[],
  ): Promise<ReadonlyMap<string, string>> {
    if (attempts.every(({ build }) => build !== undefined)) return new Map();
    const seen = await this.options.executors.seen();
    return new Map(seen.flatMap(({ build, instance }) => (build ? [[instance, build]] : [])));
  }
}

function present(attempt: RunningAttempt, now: number) {
  const { build: _, deadline, since, ...rest } = attempt;
  return {
    ...rest,
    since: new Date(since).toISOString(),
    age: Math.max(0, now - since) / 1_000,
    deadline: moment(deadline),
  };
}
