import {
  type FlowDefinition,
  type FlowOfTask,
  isAlertTask,
  isFinal,
  type StepPlan,
  type Task,
  type TaskRequest,
} from '#core';
import { stepsOfTask } from '#core/flow';
import type { Engine } from '#engine';
import type { Cluster } from './cluster.js';
import { randomFlow } from './random-flow.js';
import { LAST_REPORT, REPORT_FLOW } from './random-failures.js';
import { CHILD_FLOWS, PROGRAM_PARAMETERS } from './random-program.js';
import type { World } from './world.js';

/** How long a client waits for an answer, in milliseconds. */
const PATIENCE_MS = 5_000;

/** A client's wish for a task, and what it was told. */
export interface Order {
  /** The newest version of its flow. */
  definition: FlowDefinition;
  version: number;
  readonly key: string | null;
  /** The tasks that acknowledgements named; more than one is a broken promise. */
  readonly taskIds: Set<string>;
  isSettled: boolean;
}

/** A person's wish for a task that is an earlier one started again. */
interface Anew extends Pick<Order, 'key' | 'taskIds'> {
  readonly former: Task;
  isSettled: boolean;
}

/**
 * Asks a gateway for something, as a client would: no answer within its patience is none at all.
 * Rejects when there is no gateway, no answer, or a refusal.
 */
export function ask<T>(cluster: Cluster, request: (engine: Engine) => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const { world } = cluster;
    const gateways = cluster.gateways();
    const late = world.line.after(PATIENCE_MS, () => reject(new Error('no answer')));
    if (gateways.length === 0) return;
    const process = world.random.pick(gateways);
    const settled = (tell: () => void): void => {
      world.line.cancel(late);
      tell();
    };
    process.later(world.random.between(1, 8), () => {
      const { engine } = process;
      if (engine === null) return;
      request(engine).then(
        (answer) => settled(() => resolve(answer)),
        (error: unknown) => settled(() => reject(error)),
      );
    });
  });
}

/** Clients that want tasks, and ask again until they know that they have them. */
export class Orders {
  readonly all: Order[] = [];
  /** Wishes for tasks that are earlier ones started again. */
  readonly anew: Anew[] = [];
  /** The steps of every version that a flow ever had, by `flow version`. */
  readonly versions = new Map<string, readonly StepPlan[]>();

  constructor(
    private readonly world: World,
    private readonly cluster: Cluster,
  ) {}

  /** Draws the orders of a history. */
  draw(): void {
    const { random, scenario } = this.world;
    if (scenario.programs !== null) for (const name of CHILD_FLOWS) this.shelveRandom(name);
    if (scenario.failures !== null) {
      this.shelveRandom(REPORT_FLOW);
      this.shelve(LAST_REPORT);
    }
    for (let index = 0; index < scenario.tasks; index++) {
      const definition = randomFlow(scenario, `flow-${index}`);
      const key = random.next() < 0.9 ? `key-${index}` : null;
      this.plan(definition, {
        key,
        afterMs: random.between(0, Math.floor(scenario.troubleMs / 3)),
      });
    }
  }

  private shelveRandom(name: string): void {
    this.shelve(randomFlow(this.world.scenario, name, true));
  }

  /** A flow that others run, which has another version now. */
  shelve(definition: FlowDefinition): void {
    const { name } = definition;
    const { flows } = this.cluster.server;
    const all = flows.get(name) ?? [];
    const version = all.length + 1;
    flows.set(name, [...all, { definition, version, hash: `${name} ${version}`, createdAt: 0 }]);
    this.versions.set(`${name} ${version}`, stepsOfTask(definition));
  }

  /** A client will want a task. */
  plan(definition: FlowDefinition, when: { key: string | null; afterMs: number }): void {
    const { afterMs, key } = when;
    const order = { definition, version: 0, key, taskIds: new Set<string>(), isSettled: false };
    this.publish(order, definition);
    this.all.push(order);
    const parameters = this.world.scenario.programs === null ? {} : PROGRAM_PARAMETERS;
    const request = { parameters, idempotencyKey: key };
    const send = (): Promise<boolean> => this.send(order, order, request);
    this.world.line.after(afterMs, () => void this.place(order, send));
  }

  /** A flow gets other steps, as a new version; tasks that run keep theirs. */
  edit(): void {
    const { random, scenario } = this.world;
    if (this.all.length === 0) return;
    const order = random.pick(this.all);
    if (scenario.programs !== null) this.shelveRandom(random.pick(CHILD_FLOWS));
    this.publish(order, randomFlow(scenario, order.definition.name));
    this.world.tell(`${order.definition.name} has version ${order.version}`);
    this.world.see('flow edited');
  }

  private publish(order: Order, definition: FlowDefinition): void {
    order.definition = definition;
    order.version += 1;
    this.versions.set(`${definition.name} ${order.version}`, stepsOfTask(definition));
  }

  get areSettled(): boolean {
    return [...this.all, ...this.anew].every(({ isSettled }) => isSettled);
  }

  /** A person has a task that has ended started again: as its flow is by then. */
  startAnew(): void {
    const tasks = [...this.cluster.server.tasks.values()];
    // The part of a parent is started again with its parent alone, and an alert task not at all.
    const ended = tasks.filter(({ plan: { parent }, status }) => {
      return isFinal(status) && parent?.isPart !== true && !isAlertTask(parent);
    });
    if (ended.length === 0) return;
    const former = this.world.random.pick(ended);
    const key = `anew-${this.anew.length + 1}`;
    const wish = { former, key, taskIds: new Set<string>(), isSettled: false };
    this.anew.push(wish);
    this.world.tell(`somebody has ${former.plan.taskId} started anew`);
    const { labels, parameters, priority, taskId: restartOf } = former.plan;
    const request = { parameters, labels, priority, restartOf, idempotencyKey: key };
    void this.place(wish, () => this.send(wish, this.newestOf(former), request));
  }

  private newestOf({ plan: { flow } }: Task): FlowOfTask {
    const order = this.all.find(({ definition }) => definition.name === flow);
    const newest = order ?? this.cluster.server.flows.get(flow)?.at(-1);
    if (newest === undefined) throw new Error(`there is no flow ${flow}`);
    return newest;
  }

  private async place(
    order: Pick<Order, 'isSettled' | 'key'>,
    send: () => Promise<boolean>,
  ): Promise<void> {
    const { line, random } = this.world;
    for (let isDone = false; !isDone;) {
      const isKnown = await send();
      const repeats = this.world.strikes('repeatedRequest') && order.key !== null;
      isDone = order.key === null || (isKnown && !repeats);
      if (!isDone) await line.sleep(random.between(10, 2_000));
    }
    order.isSettled = true;
  }

  private async send(
    { taskIds }: Pick<Order, 'taskIds'>,
    { definition, version }: FlowOfTask,
    request: TaskRequest,
  ): Promise<boolean> {
    try {
      const { task } = await ask(this.cluster, (engine) =>
        engine.submit({ definition, version }, { ...request, actor: 'client' }),
      );
      const { taskId } = task.plan;
      taskIds.add(taskId);
      this.world.tell(`client was told ${taskId}`);
      if (!this.cluster.server.tasks.has(taskId)) {
        this.world.violate('I7', `${taskId} was acknowledged and is not in the store`);
      }
      return true;
    } catch {
      return false;
    }
  }
}
