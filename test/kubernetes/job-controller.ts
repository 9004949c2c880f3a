import path from 'node:path';
import { SystemClock } from '#machine';
import type { Timer } from '#ports';
import type { JobView, PodView } from './field-rules.js';
import type { ObjectTable, Resource } from './object-table.js';
import { PodProcess } from './pod-process.js';

/** The lot of the pod of a Job: it runs, has no image, or there is no room for it. */
type Fate = 'no_image' | 'no_room' | 'runs';

/** How a pod is to end that its program has not ended. */
interface Disturbance {
  readonly reason: string;
  readonly message: string;
}

const LABEL = 'job-name';

/** Makes the pods of Jobs, ends them, and keeps the status of both. */
export class JobController {
  /** Of Jobs that are made from now on. */
  fate: Fate = 'runs';
  readonly #clock = new SystemClock();
  readonly #processes = new Map<string, PodProcess>();
  readonly #timers = new Map<string, Timer>();
  readonly #disturbed = new Map<string, Disturbance>();

  constructor(
    private readonly table: ObjectTable,
    private readonly folder: string,
  ) {}

  /** The process of a pod. */
  processOf(pod: string): PodProcess | undefined {
    return this.#processes.get(pod);
  }

  /** Makes the pod of a Job. */
  begin(name: string): void {
    const job = this.table.get('jobs', name)!;
    const { metadata, spec } = job.spec.template;
    const pod = this.table.put<PodView>('pods', {
      metadata: {
        name: podName(name),
        uid: crypto.randomUUID(),
        labels: { ...metadata?.labels, [LABEL]: name },
        ownerReferences: [{ uid: job.metadata.uid! }],
      },
      spec,
      status: { phase: 'Pending' },
    });
    const { activeDeadlineSeconds: seconds } = job.spec;
    if (seconds !== undefined) {
      this.#timers.set(
        name,
        this.#clock.after(seconds * 1_000, () => this.#deadline(name)),
      );
    }
    this.#start(pod, name);
  }

  /** Takes the pod of a Job away, as a node does that needs its room. */
  evict(job: string): void {
    this.#disturb(job, { reason: 'TerminationByKubelet', message: 'the node was low on memory' });
  }

  /** Deletes a Job: in the foreground it is gone once its pod is. */
  delete(name: string, propagation: string): void {
    const job = this.table.get('jobs', name);
    if (job === undefined) return;
    this.#timers.get(name)?.cancel();
    this.#mark('jobs', name);
    const pod = this.table.get('pods', podName(name));
    if (pod === undefined || propagation === 'Background') this.#remove(job);
    if (pod !== undefined) void this.#endPod(pod, job);
  }

  /** Resolves once no process is left that uses the folder. */
  async stop(): Promise<void> {
    for (const timer of this.#timers.values()) timer.cancel();
    const processes = [...this.#processes.values()];
    for (const process of processes) process.kill('SIGKILL');
    await Promise.all(processes.map(({ ended }) => ended));
  }

  #start(pod: PodView, job: string): void {
    const { name } = pod.metadata;
    if (this.fate === 'no_room') {
      const words = { reason: 'Unschedulable', message: '0/3 nodes are available' };
      const conditions = [{ type: 'PodScheduled', status: 'False', ...words }];
      return this.#status('pods', name, { phase: 'Pending', conditions });
    }
    const [container] = pod.spec.containers;
    if (this.fate === 'no_image') {
      const state = { waiting: { reason: 'ImagePullBackOff', message: 'no such image' } };
      const containerStatuses = [{ name: container?.name, state }];
      return this.#status('pods', name, { phase: 'Pending', containerStatuses });
    }
    const find = (secret: string) => this.table.get('secrets', secret);
    const started = new PodProcess(pod, path.join(this.folder, name), find);
    this.#processes.set(name, started);
    const containerStatuses = [{ name: container?.name, state: { running: {} } }];
    this.#status('pods', name, { phase: 'Running', containerStatuses });
    void started.ended.then((terminated) => this.#ended({ job, name, terminated }));
  }

  #ended(end: { readonly job: string; readonly name: string; readonly terminated: object }): void {
    const { job, name, terminated } = end;
    const pod = this.table.get('pods', name);
    if (pod === undefined) return;
    const { exitCode } = terminated as { readonly exitCode: number };
    const disturbance = this.#disturbed.get(name);
    const conditions =
      disturbance === undefined
        ? []
        : [{ type: 'DisruptionTarget', status: 'True', ...disturbance }];
    const [container] = pod.spec.containers;
    const containerStatuses = [{ name: container?.name, state: { terminated } }];
    const phase = exitCode === 0 ? 'Succeeded' : 'Failed';
    this.#status('pods', name, { phase, conditions, containerStatuses });
    this.#timers.get(job)?.cancel();
    const found = this.table.get('jobs', job);
    if (found === undefined || found.metadata.deletionTimestamp !== undefined) return;
    const type = exitCode === 0 ? 'Complete' : 'Failed';
    const old = (found.status?.['conditions'] as readonly object[] | undefined) ?? [];
    const reason = exitCode === 0 ? 'CompletionsReached' : 'BackoffLimitExceeded';
    const ended = old.length > 0 ? old : [{ type, status: 'True', reason }];
    this.#status('jobs', job, { conditions: ended });
  }

  #deadline(job: string): void {
    const conditions = [{ type: 'Failed', status: 'True', reason: 'DeadlineExceeded' }];
    this.#status('jobs', job, { conditions });
    const pod = this.table.get('pods', podName(job));
    if (pod !== undefined) void this.#endPod(pod, null);
  }

  #disturb(job: string, disturbance: Disturbance): void {
    const name = podName(job);
    this.#disturbed.set(name, disturbance);
    this.#processes.get(name)?.kill('SIGKILL');
  }

  /** SIGTERM, then SIGKILL; then the pod is gone, and its Job where that was deleted. */
  async #endPod(pod: PodView, job: JobView | null): Promise<void> {
    const { name } = pod.metadata;
    this.#mark('pods', name);
    const process = this.#processes.get(name);
    if (process !== undefined && !process.hasEnded) {
      const graceMs = (pod.spec.terminationGracePeriodSeconds ?? 30) * 1_000;
      process.kill('SIGTERM');
      const kill = this.#clock.after(graceMs, () => process.kill('SIGKILL'));
      await process.ended;
      kill.cancel();
    }
    this.table.remove('pods', name);
    if (job !== null) this.#remove(job);
  }

  /** With what it owns. */
  #remove({ metadata }: JobView): void {
    this.table.remove('jobs', metadata.name);
    for (const secret of this.table.list('secrets')) {
      const isOwn = secret.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid);
      if (isOwn === true) this.table.remove('secrets', secret.metadata.name);
    }
  }

  #mark(resource: Resource, name: string): void {
    const found = this.table.get(resource, name);
    if (found === undefined || found.metadata.deletionTimestamp !== undefined) return;
    const metadata = { ...found.metadata, deletionTimestamp: new Date().toISOString() };
    this.table.put(resource, { ...found, metadata });
  }

  #status(resource: Resource, name: string, status: object): void {
    const found = this.table.get(resource, name);
    if (found === undefined) return;
    this.table.put(resource, { ...found, status: { ...found.status, ...status } });
  }
}

function podName(job: string): string {
  return `${job}-x7k2p`;
}
