import { withinLimit } from '#machine';
import type { Clock } from '#ports';
import type { Attempt, Outcome, WorkElsewhere, WorkItem } from '#worker';
import { itemOf, LAUNCHER, namesOf } from './job-manifest.js';
import { type JobParts, JobRun, jobsOf, podOf, podsOf, removeJob, secretsOf } from './job-run.js';
import { hasEnded, mayRun } from './job-standing.js';
import type { JobTemplate } from './job-template.js';
import type { KubeApi, KubeObject } from './kube-api.js';
import { itemsOf, News, WatchedList } from './watched-list.js';

/** How long the removal of a record is tried; a later start of the launcher finds what is left. */
const TIDY_MS = 60_000;

interface LauncherParts {
  readonly api: KubeApi;
  readonly clock: Clock;
  /** Tells the Jobs of this launcher from those of others, over its restarts. */
  readonly name: string;
  readonly namespace: string;
  /** Members of the output that are secrets. */
  readonly secrets: readonly string[];
  readonly template: JobTemplate;
}

/**
 * Carries out actions by Jobs of Kubernetes. A Secret records each claim before its Job is made, so
 * a launcher that starts again goes on with those of its name.
 */
export class Launcher implements WorkElsewhere {
  readonly #parts: JobParts;
  readonly #tidying = new Set<Promise<void>>();
  readonly #found = new Map<string, WorkItem>();

  constructor(parts: LauncherParts) {
    const { api, clock, name } = parts;
    const selector = `${LAUNCHER}=${name}`;
    const news = new News(clock);
    const watched = (path: string) => new WatchedList({ api, path, selector, clock, news });
    const [jobs, pods] = [watched(jobsOf(parts)), watched(podsOf(parts))];
    this.#parts = { ...parts, launcher: name, news, jobs, pods, resumed: this.#found };
  }

  get resumed(): readonly WorkItem[] {
    return [...this.#found.values()];
  }

  /** Finds the claims that an earlier process has left. Rejects once the signal aborts. */
  async find(signal: AbortSignal): Promise<void> {
    const query = new URLSearchParams({ labelSelector: `${LAUNCHER}=${this.#parts.launcher}` });
    const path = `${secretsOf(this.#parts)}?${query.toString()}`;
    const answer = await this.#parts.api.decide({ method: 'GET', path }, signal);
    for (const item of itemsOf(answer).flatMap((secret) => itemOf(secret) ?? [])) {
      this.#found.set(item.claim, item);
    }
  }

  /** Follows the cluster until the signal aborts. */
  async watch(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#parts.jobs.run(signal), this.#parts.pods.run(signal)]);
    await Promise.all(this.#tidying);
  }

  /** Carries out one action. */
  handle(attempt: Attempt): Promise<Outcome> {
    return new JobRun(attempt, this.#parts).run();
  }

  settled(item: WorkItem): void {
    const tidying = this.#tidy(namesOf(item).job).finally(() => this.#tidying.delete(tidying));
    this.#tidying.add(tidying);
  }

  /** The Job stays for people once it has ended; the parameters do not. */
  async #tidy(name: string): Promise<void> {
    const { api, clock, pods } = this.#parts;
    const at = `${jobsOf(this.#parts)}/${name}`;
    const tidy = async (signal: AbortSignal): Promise<void> => {
      const found = await api.decide({ method: 'GET', path: at }, signal);
      const pod = podOf(name, pods);
      const isOver = pod === undefined ? hasEnded(found.body as KubeObject) : !mayRun(pod);
      if (found.status === 200 && !isOver) await removeJob(name, this.#parts);
      const path = `${secretsOf(this.#parts)}/${name}`;
      await api.decide({ method: 'DELETE', path }, signal);
    };
    await withinLimit(tidy, { clock, ms: TIDY_MS }).catch(() => {});
  }
}
