import type { Action, EventOf, Task, Timing } from '#core';
import { actionOf, openActions, runOf } from '#core/scopes';
import type { QueueDepth } from '#ports';
import type { Admissions } from './admissions.js';
import type { EngineParts } from './parts.js';

/**
 * A queue with more messages than this is not sent to again: the lost message is probably just
 * waiting.
 */
const CROWDED_FROM = 50;

/**
 * Time that a queue is given for each of its messages, in milliseconds. It bounds the writes that a
 * backlog costs, however deep it is: a hundred a second.
 */
const PER_MESSAGE_MS = 10;

/** How long an action is left alone that may wait for a limit, in milliseconds. */
const IN_LINE_MS = 60_000;

/** Modules that get no message now; see `Tick`. */
export type SilencedModules = Required<Pick<EventOf<'tick'>, 'crowded' | 'unreachable'>>;

/**
 * Which modules get no message, for one round of governance: every queue is judged once, before
 * the round itself sends to it.
 */
export class Silence {
  private readonly depths = new Map<string, Promise<QueueDepth>>();

  constructor(
    private readonly parts: Pick<EngineParts, 'catalogue' | 'transport'>,
    private readonly timing: Timing,
    private readonly admissions: Pick<Admissions, 'inLine'>,
  ) {}

  /**
   * While the broker is away, what waits for a message is left alone: it stays due, and the first
   * round after the broker came back sends it. Modules served here need no message.
   */
  async around(tasks: readonly Task[]): Promise<SilencedModules> {
    const { catalogue, transport } = this.parts;
    const modules = [...new Set(tasks.flatMap(queuedActions).map(({ module }) => module))];
    if (transport.obstacle === null) {
      return { crowded: await this.crowdedAmong(modules), unreachable: [] };
    }
    const served = catalogue.modules();
    const unreachable = modules.filter((module) => !served.includes(module));
    return { crowded: new Map(), unreachable };
  }

  private async crowdedAmong(modules: readonly string[]): Promise<SilencedModules['crowded']> {
    const { redispatchAfterMs, redispatchMaxMs } = this.timing;
    const waits = modules.map(async (module): Promise<readonly [string, number][]> => {
      const depth = (await this.depth(module)) ?? 0;
      const isInLine = depth <= CROWDED_FROM && (await this.hasLongLine(module));
      const depthMs = isInLine ? IN_LINE_MS : depth * PER_MESSAGE_MS;
      const waitMs = Math.min(Math.max(redispatchAfterMs, depthMs), redispatchMaxMs);
      return isInLine || depth > CROWDED_FROM ? [[module, waitMs]] : [];
    });
    return new Map((await Promise.all(waits)).flat());
  }

  private async hasLongLine(module: string): Promise<boolean> {
    return (await this.admissions.inLine(module, CROWDED_FROM + 1)) > CROWDED_FROM;
  }

  private depth(module: string): Promise<QueueDepth> {
    const depth = this.depths.get(module) ?? this.parts.transport.depth(module);
    this.depths.set(module, depth);
    return depth;
  }
}

/** The actions of a task that wait to be claimed. */
export function queuedActions(task: Task): readonly Action[] {
  return openActions(task).flatMap((ref) => {
    const action = actionOf(task, ref);
    return runOf(task, ref)?.state === 'queued' && action !== undefined ? [action] : [];
  });
}
