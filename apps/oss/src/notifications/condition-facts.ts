import { isLimited } from '#access';
import { type FactLedger, isOfTasks, type JudgedSubject } from '#notifications';
import type { NotificationRecord, ScheduleRecord } from '#ports';
import type { OssOptions } from '../options.js';
import { modulesOf } from '../tasks/modules-of.js';

/** How often conditions are looked at, in milliseconds. */
const LOOK_MS = 5_000;

/** So long no executor must have been heard of, besides the time in which one counts as there. */
const GONE_MS = 10_000;

/** From so many messages on there is a backlog, until there are fewer than half. */
const BACKLOG = 1_000;

/** Schedules that are read at a time. */
const PAGE = 200;

/** Dependencies of the search for conditions. */
export type ConditionParts = Pick<
  OssOptions,
  'clock' | 'executors' | 'flows' | 'schedules' | 'transport'
> & { readonly ledger: FactLedger };

/** Finds conditions outside of tasks: of executors, queues and schedules. */
export class ConditionFacts {
  private lookedAt = -Infinity;
  /** Since when no executor of a module was heard of, by the monotonic clock. */
  private readonly missingSince = new Map<string, number>();

  constructor(private readonly parts: ConditionParts) {}

  /** Looks, if it is time to. Throws `StoreUnavailable`. */
  async tick(all: readonly NotificationRecord[]): Promise<void> {
    const rules = all.filter(({ order, scope }) => {
      return order.on.some((kind) => !isOfTasks(kind)) && !isLimited({ ...scope, modules: null });
    });
    const now = this.parts.clock.monotonic();
    if (rules.length === 0 || now - this.lookedAt < LOOK_MS) return;
    this.lookedAt = now;
    const wants = (kind: NotificationRecord['order']['on'][number]): boolean => {
      return rules.some(({ order }) => order.on.includes(kind));
    };
    const subjects = [
      ...(wants('executor_gone') ? await this.executors() : []),
      ...(wants('backlog') ? await this.backlogs() : []),
      ...(wants('schedule_missed') ? await this.schedules() : []),
    ];
    await this.parts.ledger.settle(rules, subjects);
  }

  private get modules(): readonly string[] {
    return [...new Set(this.parts.flows.list().flatMap(modulesOf))];
  }

  private async executors(): Promise<readonly JudgedSubject[]> {
    const { clock, executors } = this.parts;
    const served = new Set((await executors.list()).map(({ module }) => module));
    const now = clock.monotonic();
    return this.modules.map((id) => {
      if (served.has(id)) this.missingSince.delete(id);
      else if (!this.missingSince.has(id)) this.missingSince.set(id, now);
      const since = this.missingSince.get(id) ?? now;
      // One that is only starting, or was only now missed, is neither there nor gone.
      const kinds = served.has(id) || now - since >= GONE_MS ? (['executor_gone'] as const) : [];
      const message = `No executor serves the module ${id}`;
      const facts = served.has(id) ? [] : kinds.map((kind) => ({ kind, key: '', message }));
      return this.subject(id, { kinds, facts });
    });
  }

  private async backlogs(): Promise<readonly JudgedSubject[]> {
    const { transport } = this.parts;
    const depths = await Promise.all(
      this.modules.map(async (id) => [id, await transport.depth(id).catch(() => null)] as const),
    );
    return depths.flatMap(([id, depth]) => {
      if (depth === null || (depth < BACKLOG && depth >= BACKLOG / 2)) return [];
      const message = `${BACKLOG} messages or more of the module ${id} wait`;
      const kinds = ['backlog'] as const;
      const facts = depth < BACKLOG ? [] : kinds.map((kind) => ({ kind, key: '', message }));
      return [this.subject(id, { kinds, facts })];
    });
  }

  private async schedules(): Promise<readonly JudgedSubject[]> {
    const found: JudgedSubject[] = [];
    let page: readonly ScheduleRecord[];
    let after: string | undefined;
    do {
      page = await this.parts.schedules.list({ after, limit: PAGE });
      found.push(...page.flatMap((record) => this.missed(record)));
      after = page.at(-1)?.name;
    } while (page.length === PAGE);
    return found;
  }

  private missed({ lastSkipped, name }: ScheduleRecord): readonly JudgedSubject[] {
    if (lastSkipped?.reason !== 'missed') return [];
    const { at, moment } = lastSkipped;
    const time = new Date(moment).toISOString();
    const message = `The moment ${time} of the schedule ${name} passed without a task`;
    const kinds = ['schedule_missed'] as const;
    const facts = kinds.map((kind) => ({ kind, key: `${moment}`, message }));
    const fits = ({ createdAt }: NotificationRecord): boolean => at > createdAt;
    return [{ ...this.subject(name, { kinds, facts }), mark: at, fits }];
  }

  private subject(
    id: string,
    { facts, kinds }: Pick<JudgedSubject, 'facts' | 'kinds'>,
  ): JudgedSubject {
    const mark = Math.floor(this.parts.clock.now());
    return { id, flow: null, mark, kinds, facts, fits: () => true };
  }
}
