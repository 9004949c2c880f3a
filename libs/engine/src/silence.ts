import { type ActionRun, actionOf, type Direction, type Task } from '#core';
import type { EngineParts } from './parts.js';

/**
 * A queue with more messages than this is not sent to again: the lost message is probably just
 * waiting.
 */
const CROWDED_FROM = 50;

/** Modules that get no message now; see `Tick`. */
export interface SilencedModules {
  readonly crowded: readonly string[];
  readonly unreachable: readonly string[];
}

/**
 * Which modules get no message, for one round of governance: every queue is judged once, before
 * the round itself sends to it.
 */
export class Silence {
  private readonly isCrowded = new Map<string, Promise<boolean>>();

  constructor(private readonly parts: Pick<EngineParts, 'catalogue' | 'transport'>) {}

  /**
   * While the broker is away, what waits for a message is left alone: it stays due, and the first
   * round after the broker came back sends it. Modules served here need no message.
   */
  async around(tasks: readonly Task[]): Promise<SilencedModules> {
    const { catalogue, transport } = this.parts;
    const modules = [...new Set(tasks.flatMap(queuedModules))];
    if (transport.obstacle === null) {
      const crowded = await Promise.all(modules.map((module) => this.judge(module)));
      return { crowded: modules.filter((_module, at) => crowded[at]), unreachable: [] };
    }
    const served = catalogue.modules();
    return { crowded: [], unreachable: modules.filter((module) => !served.includes(module)) };
  }

  private judge(module: string): Promise<boolean> {
    let isCrowded = this.isCrowded.get(module);
    if (isCrowded === undefined) {
      const depth = this.parts.transport.depth(module);
      isCrowded = depth.then((messages) => (messages ?? 0) > CROWDED_FROM);
      this.isCrowded.set(module, isCrowded);
    }
    return isCrowded;
  }
}

function queuedModules(task: Task): readonly string[] {
  const modules: string[] = [];
  const add = (run: ActionRun | null, direction: Direction, step: number): void => {
    const module = actionOf(task.plan, { direction, step })?.module;
    if (run?.state === 'queued' && module !== undefined) modules.push(module);
  };
  task.runs.forEach(({ normal, rollback }, step) => {
    add(normal, 'normal', step);
    add(rollback, 'rollback', step);
  });
  add(task.alert, 'alert', task.alertStep ?? 0);
  return modules;
}
