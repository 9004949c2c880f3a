import { isLimited } from '#access';
import { type Fact, type FactLedger, isOfTasks, type JudgedSubject } from '#notifications';
import { allOf, type MomentSpell, type NotificationKind, pagesOf } from '#ports';
import type { NotificationRecord, ScheduleRecord } from '#ports';
import type { OssOptions } from '../options.js';
import { modulesOf } from '../tasks/modules-of.js';

/** How often conditions are looked at, in milliseconds. */
const LOOK_MS = 5_000;

/** So long no executor must have been heard of, besides the time in which one counts as there. */
const GONE_MS = 10_000;

/** From this many messages on there is a backlog, until there are fewer than half. */
const BACKLOG = 1_000;

/** The facts that a look found, and all subjects that they could be about. */
interface Look {
  readonly kind: NotificationKind;
  readonly names: readonly string[];
  readonly subjects: readonly JudgedSubject[];
}

/** Dependencies of the search for conditions. */
type ConditionParts = Pick<
  OssOptions,
  'clock' | 'deliveries' | 'executors' | 'flows' | 'schedules' | 'transport'
> & { readonly ledger: FactLedger };

/** The latest trouble of a schedule. Times are milliseconds since 1970. */
interface MissedFact {
  readonly fact: Fact;
  /** When the last of its moments was seen to. */
  readonly at: number;
  /** Grows with what becomes of moments. */
  readonly mark: number;
}

/** Finds conditions outside of tasks: of executors, queues and schedules. */
export class ConditionFacts {
  private lookedAt = -Infinity;
  /** Since when no executor of a module was heard of, by the monotonic clock. */
  private readonly missingSince = new Map<string, number>();
  /** The subjects of the look before; null: nobody has looked yet. */
  private known: ReadonlyMap<NotificationKind, ReadonlySet<string>> | null = null;

  constructor(private readonly parts: ConditionParts) {}

  /** Looks, if it is time to. Throws `StoreUnavailable`. */
  async tick(all: readonly NotificationRecord[]): Promise<void> {
    const rules = all.filter(({ order, scope }) => {
      return order.on.some((kind) => !isOfTasks(kind)) && !isLimited({ ...scope, modules: null });
    });
    const now = this.parts.clock.monotonic();
    if (rules.length === 0 || now - this.lookedAt < LOOK_MS) return;
    this.lookedAt = now;
    const wants = (kind: NotificationKind): boolean => {
      return rules.some(({ order }) => order.on.includes(kind));
    };
    const looks = [
      ...(wants('executor_gone') ? [await this.executors()] : []),
      ...(wants('backlog') ? [await this.backlogs()] : []),
      ...(wants('schedule_missed') ? [await this.schedules()] : []),
    ];
    const known = this.known ?? (await this.openOf(rules));
    const subjects = looks.flatMap((look) => [...look.subjects, ...this.gone(look, known)]);
    await this.parts.ledger.settle(rules, subjects);
    const seen = looks.map(({ kind, names }) => [kind, new Set(names)] as const);
    this.known = new Map([...known, ...seen]);
  }

  /** The subjects of messages whose facts are not over, as far as it is known. */
  private async openOf(
    rules: readonly NotificationRecord[],
  ): Promise<ReadonlyMap<NotificationKind, ReadonlySet<string>>> {
    const known = new Map<NotificationKind, Set<string>>();
    for (const { name } of rules) {
      const told = await allOf(this.parts.deliveries, { index: 'rule', of: [name] });
      for (const { isOpen, kind, subject } of told) {
        if (!isOpen || kind === 'test') continue;
        known.set(kind, (known.get(kind) ?? new Set()).add(subject));
      }
    }
    return known;
  }

  /** Of what is not there any more, whatever was told of it is over. */
  private gone(
    { kind, names }: Look,
    known: ReadonlyMap<NotificationKind, ReadonlySet<string>>,
  ): readonly JudgedSubject[] {
    const present = new Set(names);
    const lost = [...(known.get(kind) ?? [])].filter((id) => !present.has(id));
    return lost.map((id) => this.subject(id, { kinds: [kind], facts: [] }));
  }

  private get modules(): readonly string[] {
    return [...new Set(this.parts.flows.list().flatMap(modulesOf))];
  }

  private async executors(): Promise<Look> {
    const { clock, executors } = this.parts;
    const served = new Set((await executors.list()).map(({ module }) => module));
    const now = clock.monotonic();
    const { modules } = this;
    const subjects = modules.map((id) => {
      if (served.has(id)) this.missingSince.delete(id);
      else if (!this.missingSince.has(id)) this.missingSince.set(id, now);
      const since = this.missingSince.get(id) ?? now;
      // One that is only starting, or was only now missed, is neither there nor gone.
      const kinds = served.has(id) || now - since >= GONE_MS ? (['executor_gone'] as const) : [];
      const message = `No executor serves the module ${id}`;
      const facts = served.has(id) ? [] : kinds.map((kind) => ({ kind, key: '', message }));
      return this.subject(id, { kinds, facts });
    });
    return { kind: 'executor_gone', names: modules, subjects };
  }

  private async backlogs(): Promise<Look> {
    const { transport } = this.parts;
    const { modules } = this;
    const depths = await Promise.all(
      modules.map(async (id) => [id, await transport.depth(id).catch(() => null)] as const),
    );
    const subjects = depths.flatMap(([id, depth]) => {
      if (depth === null || (depth < BACKLOG && depth >= BACKLOG / 2)) return [];
      const message = `${BACKLOG} messages or more of the module ${id} wait`;
      const kinds = ['backlog'] as const;
      const facts = depth < BACKLOG ? [] : kinds.map((kind) => ({ kind, key: '', message }));
      return [this.subject(id, { kinds, facts })];
    });
    return { kind: 'backlog', names: modules, subjects };
  }

  private async schedules(): Promise<Look> {
    const names: string[] = [];
    const subjects: JudgedSubject[] = [];
    for await (const page of pagesOf(this.parts.schedules)) {
      names.push(...page.map(({ name }) => name));
      subjects.push(...page.flatMap((record) => this.missed(record)));
    }
    return { kind: 'schedule_missed', names, subjects };
  }

  private missed({ name, past = [] }: ScheduleRecord): readonly JudgedSubject[] {
    const found = missedFact(name, past);
    if (found === null) return [];
    const { at, fact, mark } = found;
    const fits = ({ createdAt }: NotificationRecord): boolean => at > createdAt;
    const subject = this.subject(name, { kinds: ['schedule_missed'], facts: [fact] });
    return [{ ...subject, mark, fits }];
  }

  private subject(
    id: string,
    { facts, kinds }: Pick<JudgedSubject, 'facts' | 'kinds'>,
  ): JudgedSubject {
    const mark = Math.floor(this.parts.clock.now());
    return { id, flow: null, mark, kinds, facts, fits: () => true };
  }
}

/**
 * The fact that moments passed without a task though nobody wanted that: no gateway lived, or a
 * task could not be made. It is over once a later moment has its task. Null: there is none.
 */
function missedFact(name: string, past: readonly MomentSpell[]): MissedFact | null {
  const spell = past.findLast(({ result }) => isTrouble(result));
  const mark = past.at(-1)?.at;
  if (spell === undefined || mark === undefined) return null;
  const isOver = past.slice(past.indexOf(spell)).some(({ result }) => result === 'started');
  const { at, from, result } = spell;
  // A spell grows at its end alone, so its beginning names it.
  const key = `${result} ${from}`;
  return { at, mark, fact: { kind: 'schedule_missed', key, message: textOf(name, spell), isOver } };
}

function isTrouble(result: MomentSpell['result']): boolean {
  return result === 'missed' || result === 'made_up' || result === 'failed';
}

function textOf(name: string, { count, detail, result, to }: MomentSpell): string {
  const time = new Date(to).toISOString();
  const which = count === 1 ? `The moment ${time}` : `${count} moments up to ${time}`;
  const what = `${which} of the schedule ${name}`;
  if (result === 'failed') return `${what} started no task: ${detail}`;
  const rest = result === 'missed' ? 'without a task' : 'and a task is started late';
  return `${what} passed while no gateway ran, ${rest}`;
}
