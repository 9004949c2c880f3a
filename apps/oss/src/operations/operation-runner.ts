import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Loop } from '#engine';
import { nullWhereUnreadable, type OperationRecord, endsWithin } from '#ports';
import {
  type AccessParts,
  type CommonParts,
  type OperationParts,
  OSS_OPTIONS,
} from '../options.js';
import { approvalText, over } from './consent.js';
import { OperationActs } from './operation-acts.js';
import { OperationRun } from './operation-run.js';
import { OperationTasks } from './operation-tasks.js';

/** Operations that one process carries out at a time; others wait, or others take them. */
const RUNS_MAX = 4;

/** Of these, those of one caller: operations may be as slow as they are asked to be. */
const RUNS_PER_CALLER = 2;

/** Operations that are looked at in one round. */
const LOOKED_MAX = 200;

/** How an operation is written down when it has ended; nobody asked for it then. */
const END = 'END /v1/operations/{operationId}';

interface Running {
  readonly run: OperationRun;
  readonly over: Promise<void>;
  /** Its requester; null: nobody was asked for a key. */
  readonly owner: string | null;
}

/**
 * Carries out operations: those that this process was asked for, and those that whoever carried
 * them out has left. Any number of processes may do so.
 */
@Injectable()
export class OperationRunner implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly running = new Map<string, Running>();
  private readonly loop: Loop;
  /** New with every start, so that no process takes the lease of an earlier start for its own. */
  private readonly name: string;
  private isStopping = false;

  constructor(
    @Inject(OSS_OPTIONS) private readonly options: CommonParts & OperationParts & AccessParts,
    private readonly acts: OperationActs,
    private readonly tasks: OperationTasks,
  ) {
    const { clock, entropy, governanceIntervalMs: intervalMs, observer } = options;
    this.name = entropy.newId();
    const work = { name: 'operations', intervalMs, tick: () => this.tick() };
    this.loop = new Loop(work, clock, observer);
  }

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  /** Leaves what it carries out to others, after what is in hand. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    await this.loop.stop();
    const all = [...this.running.values()];
    for (const { run } of all) run.stop();
    await Promise.all(all.map(({ over }) => over));
  }

  /** Takes over what is due, as far as there is room. Throws `StoreUnavailable`. */
  async tick(): Promise<void> {
    const { clock, operations } = this.options;
    if (!this.hasRoom) return;
    const due = { index: 'due', upTo: clock.now(), limit: LOOKED_MAX } as const;
    for (const record of await operations.list(due)) {
      if (!this.hasRoomFor(record) || this.running.has(record.operationId)) continue;
      if (record.status === 'waiting') {
        await this.expire(record);
        continue;
      }
      const next = this.claimed(record, record.revision + 1);
      if (await operations.put(next, record)) this.launch(next);
    }
  }

  /** An operation that is about to be stored, with this process as its runner where it has room. */
  claim(record: OperationRecord): OperationRecord {
    return this.hasRoomFor(record) ? this.claimed(record, record.revision) : record;
  }

  /** Begins to carry out an operation, as stored, if it is this process that does. */
  launch(record: OperationRecord): void {
    const { operationId } = record;
    if (record.runner !== this.name || this.isStopping || this.running.has(operationId)) return;
    const { clock, leaseMs, observer, operations } = this.options;
    const { acts, name: runner, tasks } = this;
    const tellEnd = (last: OperationRecord): Promise<void> => this.tellEnd(last);
    const isRevoked = (of: OperationRecord): Promise<boolean> => this.isRevoked(of);
    const parts = { operations, clock, acts, tasks, runner, leaseMs, isRevoked, tellEnd };
    const run = new OperationRun(record, parts);
    const over = run
      .run()
      .catch((error: unknown) => {
        const message = `operation ${operationId} met an internal error`;
        observer.noticed({ level: 'error', name: 'internal_error', message, error });
      })
      .finally(() => this.running.delete(operationId));
    this.running.set(operationId, { run, over, owner: record.requester.keyId });
  }

  /** A person called it off: where this process carries it out, it begins nothing more. */
  callOff(operationId: string): void {
    this.running.get(operationId)?.run.callOff();
  }

  /** Resolves when this process no longer carries it out, or after this many milliseconds. */
  async settled(operationId: string, mostMs: number): Promise<void> {
    const over = this.running.get(operationId)?.over;
    if (over !== undefined) await endsWithin(over, { clock: this.options.clock, ms: mostMs });
  }

  private get hasRoom(): boolean {
    return !this.isStopping && this.running.size < RUNS_MAX;
  }

  /** Without access control all callers are one, and have all the room there is. */
  private hasRoomFor({ requester: { keyId } }: OperationRecord): boolean {
    if (!this.hasRoom || keyId === null) return this.hasRoom;
    const own = [...this.running.values()].filter(({ owner }) => owner === keyId);
    return own.length < RUNS_PER_CALLER;
  }

  private claimed(record: OperationRecord, revision: number): OperationRecord {
    const { clock, leaseMs } = this.options;
    return { ...record, revision, runner: this.name, dueAt: clock.now() + leaseMs };
  }

  /**
   * A key that has only expired was good when it was asked for; of tokens nothing is known. An
   * operation that a second person wanted as well goes on.
   */
  private async isRevoked({ consent, requester }: OperationRecord): Promise<boolean> {
    const { keyId } = requester;
    if (consent !== undefined || keyId === null || keyId.includes('#')) return false;
    return (await this.options.keys.get(keyId).catch(nullWhereUnreadable)) === null;
  }

  /** Nobody said yes in time. */
  private async expire(record: OperationRecord): Promise<void> {
    const { clock, operations } = this.options;
    await this.tellEnd({ ...record, status: 'expired' });
    const change = over(clock.now(), 'expired');
    await operations.put({ ...record, ...change, revision: record.revision + 1 }, record);
  }

  private async tellEnd(record: OperationRecord): Promise<void> {
    const { clock, trail } = this.options;
    const { cancel, done, failed, operationId, order, refused, requester, status } = record;
    const ended = cancel === null ? 'finished' : 'cancelled';
    const state = `${status === 'expired' ? status : ended}${approvalText(record)}`;
    const counts = `${done} done, ${refused} refused, ${failed} failed`;
    await trail.add({
      at: clock.now(),
      actor: requester.actor,
      keyId: requester.keyId,
      operation: END,
      target: `/v1/operations/${operationId}`,
      status: 200,
      reason: `${order.action}${order.isDryRun ? ' (dry run)' : ''} ${state}: ${counts}`,
      requestId: operationId,
    });
  }
}
