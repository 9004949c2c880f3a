import { type KeyOrder, makeKey } from '#access';
import type { FlowDefinition, Task } from '#core';
import { settle } from '#testing';
import { Gateway } from '../gateway-spec.js';
import { ScheduledStarts } from '../schedules/scheduled-starts.js';
import { LiveTaskQuota } from '../tasks/live-task-quota.js';
import { TaskIntake } from '../tasks/task-intake.js';

/** The limits of a key of a test. */
export type KeyLimits = Pick<KeyOrder, 'flows' | 'labels' | 'modules'>;

/** A gateway that asks for keys, of which a test makes as many as it wants. */
export class GuardedGateway {
  private keys = 0;

  private constructor(readonly gateway: Gateway) {}

  static async open(
    flows: readonly FlowDefinition[],
    options: Parameters<typeof Gateway.open>[1] = {},
  ): Promise<GuardedGateway> {
    return new GuardedGateway(await Gateway.open(flows, { ...options, asksForKeys: true }));
  }

  /** The headers of a new key. */
  async key(role: KeyOrder['role'], limits: KeyLimits = {}): Promise<Record<string, string>> {
    this.keys += 1;
    const secret = { id: this.keys.toString(16).padStart(16, '0'), secret: 's'.repeat(43) };
    const { clock, store } = this.gateway.world;
    const order = { name: `k${this.keys}`, role, ...limits };
    const { record, text } = makeKey(order, secret, clock.now());
    await store.keys.put(record, null);
    return { authorization: `Bearer ${text}` };
  }

  /** Sends requests with a key, and answers with status and body. */
  as(headers: Record<string, string>) {
    return {
      send: async (method: string, url: string, body?: unknown) => {
        const answer = await this.gateway.ask({ method, url, body, headers });
        const json = answer.body === '' ? {} : (answer.json() as Record<string, unknown>);
        return { status: answer.statusCode, body: json };
      },
    };
  }

  /** Carries out a moment of a schedule. */
  async startMoment(name: string, taskId: string) {
    const { options, world } = this.gateway;
    const { engine, store } = world;
    const intake = new TaskIntake(options, new LiveTaskQuota(options));
    const record = await store.schedules.get(name);
    if (record === null) throw new Error(`there is no schedule ${name}`);
    const starter = new ScheduledStarts({ engine, intake, keys: store.keys, tasks: store });
    return starter.start(record, { moment: world.clock.now(), taskId });
  }

  /** Lets everything happen that comes by itself within seconds. */
  async rest(): Promise<void> {
    for (let n = 0; n < 60; n += 1) {
      await settle();
      if (n % 20 === 19) await this.gateway.world.clock.advance(1_000);
    }
  }

  /** A task, and all that it started, at any depth. */
  async family(taskId: string, admin: Record<string, string>): Promise<readonly Task[]> {
    const task = await this.gateway.world.store.get(taskId);
    if (task === null) return [];
    const url = `/v1/tasks?parent=${encodeURIComponent(taskId)}&limit=200`;
    const { body } = await this.as(admin).send('GET', url);
    const items = body['items'] as readonly { readonly taskId: string }[];
    const below = await Promise.all(items.map((item) => this.family(item.taskId, admin)));
    return [task, ...below.flat()];
  }
}
