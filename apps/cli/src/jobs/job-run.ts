import { withinLimit } from '#machine';
import type { Clock } from '#ports';
import { type Attempt, clipped, type Outcome, type WorkItem } from '#worker';
import { exitFailure } from '../worker/exit-failure.js';
import { ProgramOutput } from '../worker/program-output.js';
import { jobOf, namesOf, ownedBy, RUN, secretOf } from './job-manifest.js';
import {
  containerOf,
  hasBegun,
  hasEnded,
  mayRun,
  type Standing,
  standingOf,
} from './job-standing.js';
import type { JobTemplate } from './job-template.js';
import { type KubeAnswer, type KubeApi, type KubeObject, wordsOf } from './kube-api.js';
import { followLog, type LogLine } from './pod-log.js';
import { itemsOf, type News, type WatchedList } from './watched-list.js';

/** How long a container may fail to start, in milliseconds. */
const STUCK_MS = 120_000;
/** How often what is watched is looked at without news, in milliseconds. */
const LOOK_MS = 5_000;
/** The wait before an action is handed back that the cluster broke off. */
const DISRUPTED_MS = 5_000;
/** The longest wait for the end of a Job that is not wanted any more. */
const REMOVAL_MS = 600_000;
/** How often that end is looked for. */
const REMOVAL_LOOK_MS = 500;
const FOREGROUND = { propagationPolicy: 'Foreground' };
const PROGRESS_BYTES_MAX = 500;

/** The means by which Jobs are run. */
export interface JobParts {
  readonly api: KubeApi;
  readonly clock: Clock;
  /** The name of the launcher. */
  readonly launcher: string;
  readonly namespace: string;
  readonly news: News;
  readonly jobs: WatchedList;
  readonly pods: WatchedList;
  /** Members of the output that are secrets. */
  readonly secrets: readonly string[];
  readonly template: JobTemplate;
  /** Items of an earlier process, by their claims: their Jobs may have run. */
  readonly resumed: ReadonlyMap<string, WorkItem>;
}

/** One action, carried out by a Job of Kubernetes. */
export class JobRun {
  readonly #name: string;
  readonly #output: ProgramOutput;
  #line: LogLine | null = null;
  #lastLine = '';
  #words: string | null = null;
  /** Since when its container fails to start, on the monotonic clock. */
  #stuckAt: number | null = null;
  #log: Promise<boolean> | null = null;

  constructor(
    private readonly attempt: Attempt,
    private readonly parts: JobParts,
  ) {
    this.#name = namesOf(attempt.item).job;
    this.#output = new ProgramOutput(parts.secrets, (text) => this.#say(text));
  }

  /**
   * Makes the Job, or finds it, and waits for its end. Throws the `Stopped` of an attempt that was
   * called off, once its pod has ended; one that was left goes on.
   */
  async run(): Promise<Outcome> {
    const { signal } = this.attempt;
    try {
      signal.throwIfAborted();
      return (await this.#begin()) ?? (await this.#end());
    } catch (error) {
      if (this.attempt.stopped !== undefined && this.attempt.stopped.kind !== 'left') {
        await removeJob(this.#name, this.parts);
      }
      throw error;
    }
  }

  /** The reason why there is no Job; null: there is one. */
  async #begin(): Promise<Outcome | null> {
    const { item } = this.attempt;
    const found = await this.#ask('GET', `${jobsOf(this.parts)}/${this.#name}`);
    if (found.status === 200) return null;
    if (item.confirm && this.parts.resumed.has(item.claim)) return this.#gone();
    const filled = await this.parts.template.fill(item);
    if ('fault' in filled) return refused('JOB_TEMPLATE', `the template: ${filled.fault}`);
    const secret = secretOf(item, this.parts.launcher);
    const kept = await this.#ask('POST', secretsOf(this.parts), secret);
    if (kept.status !== 201 && kept.status !== 409) return refused('JOB_REFUSED', wordsOf(kept));
    await this.#endOthers();
    // Its record has the time that an earlier process was given for it.
    const { attemptTimeLeftMs: givenMs } = this.parts.resumed.get(item.claim) ?? item;
    const timed = { ...item, attemptTimeLeftMs: givenMs - this.attempt.ageMs };
    const job = jobOf(filled.manifest, timed, this.parts.launcher);
    const made = await this.#ask('POST', `${jobsOf(this.parts)}?fieldValidation=Strict`, job);
    if (made.status === 409) return null;
    if (made.status !== 201) return refused('JOB_REFUSED', wordsOf(made));
    const owner = ownedBy(made.body as KubeObject);
    await this.#ask('PATCH', `${secretsOf(this.parts)}/${this.#name}`, owner);
    return null;
  }

  /**
   * Ends what earlier claims of this step have left, forward and back: an undo never runs beside
   * what it undoes.
   */
  async #endOthers(): Promise<void> {
    const { run } = namesOf(this.attempt.item);
    const selector = new URLSearchParams({ labelSelector: `${RUN}=${run}` });
    for (;;) {
      const jobs = itemsOf(await this.#ask('GET', `${jobsOf(this.parts)}?${selector.toString()}`));
      const pods = itemsOf(await this.#ask('GET', `${podsOf(this.parts)}?${selector.toString()}`));
      const left = jobs.filter((job) => !hasEnded(job));
      if (left.length === 0 && !pods.some(mayRun)) return;
      this.#report('it waits for the end of an earlier Job of this step');
      for (const { metadata } of left) {
        if (metadata.deletionTimestamp !== undefined) continue;
        await this.#ask('DELETE', `${jobsOf(this.parts)}/${metadata.name}`, FOREGROUND);
      }
      await this.parts.clock.sleep(REMOVAL_LOOK_MS, this.attempt.signal);
      this.attempt.signal.throwIfAborted();
    }
  }

  async #end(): Promise<Outcome> {
    const { signal } = this.attempt;
    for (;;) {
      const job = await this.#job();
      if (job === null) return this.#gone();
      const pod = podOf(this.#name, this.parts.pods) ?? (await this.#podOfEnded(job));
      if (pod !== undefined && hasBegun(pod)) this.#log ??= this.#follow(pod);
      const standing = standingOf(job, pod);
      if (standing.kind !== 'waits') return this.#outcome(standing);
      const failure = this.#waits(standing);
      if (failure !== null) {
        // It must not begin once nobody waits for it.
        await removeJob(this.#name, this.parts);
        return failure;
      }
      await this.parts.news.next(LOOK_MS, signal);
    }
  }

  /** The Job as it was last seen; null: it was deleted. */
  async #job(): Promise<KubeObject | null> {
    const known = this.parts.jobs.get(this.#name);
    if (known !== undefined) return known;
    const found = await this.#ask('GET', `${jobsOf(this.parts)}/${this.#name}`);
    return found.status === 200 ? (found.body as KubeObject) : null;
  }

  /** The news of a Job may come before those of its pod. */
  async #podOfEnded(job: KubeObject): Promise<KubeObject | undefined> {
    if (!hasEnded(job)) return undefined;
    const selector = new URLSearchParams({ labelSelector: `job-name=${this.#name}` });
    const [pod] = itemsOf(await this.#ask('GET', `${podsOf(this.parts)}?${selector.toString()}`));
    return pod;
  }

  /** Null: it may still begin, or end. */
  #waits({ isStuck, words }: Extract<Standing, { kind: 'waits' }>): Outcome | null {
    if (words !== null) this.#report(words);
    const now = this.parts.clock.monotonic();
    this.#stuckAt = isStuck ? (this.#stuckAt ?? now) : null;
    if (this.#stuckAt === null || now - this.#stuckAt < STUCK_MS) return null;
    const message = `the container of Job ${this.#name} does not start: ${words}`;
    return { kind: 'fail', retryable: true, code: 'NOT_STARTED', message };
  }

  async #outcome(standing: Exclude<Standing, { kind: 'waits' }>): Promise<Outcome> {
    const isRead = (await this.#log) ?? false;
    const isDone = standing.kind === 'exited' && standing.exit.code === 0;
    if (isDone && !isRead && standing.output === '') return this.#lost('its log cannot be read');
    if (isDone) return this.#output.outcome(standing.output);
    this.#output.giveUp();
    if (standing.kind === 'exited') {
      const lastLine = standing.words === '' ? this.#lastLine : standing.words.trim();
      return exitFailure({ exit: standing.exit, lastLine, isOnce: this.attempt.item.confirm });
    }
    if (standing.kind === 'disrupted') return this.#disrupted(standing.words);
    if (standing.kind === 'unknown') return this.#lost('its pod is gone');
    return standing.kind === 'timed_out'
      ? this.#failure('TIMED_OUT', 'the time of its Job is over')
      : this.#failure('OUT_OF_MEMORY', standing.words);
  }

  /** It is not the fault of the step, and costs no attempt. */
  async #disrupted(words: string): Promise<Outcome> {
    this.#say(words);
    // Its node may still be on its way down.
    await this.parts.clock.sleep(DISRUPTED_MS, this.attempt.signal);
    return { kind: 'release', reason: words };
  }

  #gone(): Outcome {
    return this.#failure('JOB_DELETED', `Job ${this.#name} was deleted`);
  }

  #lost(why: string): Outcome {
    return this.#failure('OUTPUT_LOST', `Job ${this.#name} has succeeded, and ${why}`);
  }

  /** A failure that says nothing of the program: whether it is tried again is for the flow. */
  #failure(code: string, message: string): Outcome {
    return { kind: 'fail', retryable: !this.attempt.item.confirm, code, message };
  }

  #follow(pod: KubeObject): Promise<boolean> {
    const { api, clock, pods } = this.parts;
    const { name } = pod.metadata;
    const hasEndedNow = (): boolean => {
      const now = pods.get(name);
      return now === undefined || !mayRun(now);
    };
    const path = `${podsOf(this.parts)}/${name}`;
    const source = { api, clock, pod: path, container: containerOf(pod), hasEnded: hasEndedNow };
    const take = (line: LogLine): void => {
      this.#line = line;
      this.#output.add(line);
    };
    const reading = followLog(source, take, this.attempt.signal);
    // Where it is called off, nobody waits for its log.
    reading.catch(() => {});
    return reading;
  }

  #say(text: string): void {
    if (text.trim() !== '') this.#lastLine = text.trim();
    const { at } = this.#line ?? { at: '' };
    const time = at === '' ? new Date(this.parts.clock.now()).toISOString() : at;
    this.attempt.say(`[${time}][${this.#name}] ${text}`);
  }

  /** Tells people what is in the way, once. */
  #report(words: string): void {
    if (words === this.#words) return;
    this.#words = words;
    this.attempt.report({ message: clipped(words, PROGRESS_BYTES_MAX) });
  }

  #ask(method: 'DELETE' | 'GET' | 'PATCH' | 'POST', path: string, body?: object) {
    const request = { method, path, ...(body !== undefined && { body }) };
    return this.parts.api.decide(request, this.attempt.signal, (words) => this.#report(words));
  }
}

function refused(code: string, message: string): Outcome {
  return { kind: 'fail', retryable: false, code, message };
}

/** The pod of a Job, as it was last seen. */
export function podOf(job: string, pods: Pick<WatchedList, 'all'>): KubeObject | undefined {
  return pods.all().find(({ metadata }) => metadata.labels?.['job-name'] === job);
}

type Place = Pick<JobParts, 'api' | 'clock' | 'namespace'>;

/** Deletes a Job, and waits until it is gone with its pod. */
export async function removeJob(name: string, parts: Place): Promise<void> {
  const path = `${jobsOf(parts)}/${name}`;
  const { api, clock } = parts;
  const remove = async (signal: AbortSignal): Promise<void> => {
    const isGone = ({ status }: KubeAnswer): boolean => status === 404;
    if (isGone(await api.decide({ method: 'DELETE', path, body: FOREGROUND }, signal))) return;
    while (!isGone(await api.decide({ method: 'GET', path }, signal))) {
      await clock.sleep(REMOVAL_LOOK_MS, signal);
    }
  };
  // The next Job of the step waits for it all the same.
  await withinLimit(remove, { clock, ms: REMOVAL_MS }).catch(() => {});
}

/** Path of the Jobs of a namespace. */
export function jobsOf({ namespace }: Pick<JobParts, 'namespace'>): string {
  return `apis/batch/v1/namespaces/${namespace}/jobs`;
}

/** Path of the pods of a namespace. */
export function podsOf({ namespace }: Pick<JobParts, 'namespace'>): string {
  return `api/v1/namespaces/${namespace}/pods`;
}

/** Path of the Secrets of a namespace. */
export function secretsOf({ namespace }: Pick<JobParts, 'namespace'>): string {
  return `api/v1/namespaces/${namespace}/secrets`;
}
