import { Controller, Inject } from '@nestjs/common';
import { RequestWork } from '../access/request-work.js';
import { type CommonParts, OSS_OPTIONS } from '../options.js';
import { type Asked, Handles } from '../requests/asked.js';
import type { Shown } from '../requests/shown.js';
import { moment } from '../why/cause.js';
import { cursorAfter } from './attempts.query.js';
import { EXECUTOR_ROUTES } from './executors.routes.js';
import { AttemptSearch, placeOf, type RunningAttempt } from './running-attempts.js';

type PublicAttempts = Shown<'Attempts'>;

/** Shows which attempts of steps run now. */
@Controller()
export class AttemptsController {
  constructor(
    @Inject(OSS_OPTIONS)
    private readonly options: Pick<CommonParts, 'clock' | 'progress'>,
    private readonly search: AttemptSearch,
    private readonly work: RequestWork,
  ) {}

  /** One page, the oldest first. */
  @Handles(EXECUTOR_ROUTES.listAttempts)
  async list(asked: Asked<typeof EXECUTOR_ROUTES.listAttempts>): Promise<PublicAttempts> {
    const { principal, query, request } = asked;
    const { after, filter, limit } = query;
    const { attempts, isCut } = await this.work.run(request, 'read', (signal) => {
      return this.search.find(filter, principal, signal);
    });
    const rest = attempts.filter((attempt) => placeOf(attempt) > after);
    const page = rest.slice(0, limit);
    const last = rest.length > limit ? page.at(-1) : undefined;
    const now = this.options.clock.now();
    const progressOf = await this.options.progress.look();
    return {
      items: page.map((attempt) => {
        const progress = progressOf?.({ ...attempt, run: attempt.id }) ?? null;
        return { ...present(attempt, now), ...(progress !== null && { progress }) };
      }),
      isCut,
      page: { nextCursor: last === undefined ? null : cursorAfter(placeOf(last)) },
    };
  }
}

function present(attempt: RunningAttempt, now: number): PublicAttempts['items'][number] {
  const { deadline, since, ...rest } = attempt;
  return {
    ...rest,
    since: new Date(since).toISOString(),
    age: Math.max(0, now - since) / 1_000,
    deadline: moment(deadline),
  };
}
