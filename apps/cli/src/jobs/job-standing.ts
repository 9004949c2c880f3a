import type { JsonObject, JsonValue } from '#core';
import type { Exit } from '../worker/exit-failure.js';
import { type KubeObject, memberOf } from './kube-api.js';

/** Shells tell by codes from this one on that a signal ended a program. */
const SIGNAL_BASE = 128;
const SIGNAL_MAX = 64;

/** The reason of a Job or of a pod whose own time is over. */
const DEADLINE_EXCEEDED = 'DeadlineExceeded';

/** How the pod of an action stands. */
export type Standing =
  /** Not ended; `words` say why, where something is in its way. */
  | { readonly kind: 'waits'; readonly words: string | null; readonly isStuck: boolean }
  | {
      readonly kind: 'exited';
      readonly exit: Exit;
      readonly words: string;
      readonly output: string;
    }
  /** The container was ended for more memory than its limit. */
  | { readonly kind: 'out_of_memory'; readonly words: string }
  | { readonly kind: 'timed_out' }
  /** The cluster took the pod away: it was evicted or preempted, or its node has gone. */
  | { readonly kind: 'disrupted'; readonly words: string }
  /** The Job has succeeded, and nobody knows its output. */
  | { readonly kind: 'unknown' };

/** Reasons for which a container that does not start will not do so by itself. */
const STUCK: ReadonlySet<string> = new Set([
  'CreateContainerConfigError',
  'CreateContainerError',
  'ErrImageNeverPull',
  'ErrImagePull',
  'ImageInspectError',
  'ImagePullBackOff',
  'InvalidImageName',
  'RegistryUnavailable',
  'RunContainerError',
  'SignatureValidationFailed',
]);

/**
 * How an action stands by its Job and the pod of that. While the pod may run, it has not ended,
 * whatever is known of the Job. `pod`: undefined: there is none, or no longer.
 */
export function standingOf(job: KubeObject, pod: KubeObject | undefined): Standing {
  const end = pod === undefined || mayRun(pod) ? undefined : endOf(pod);
  const phase = pod && memberOf(pod, 'status')['phase'];
  if (end?.kind === 'exited' && phase === 'Succeeded') return end;
  if (job.metadata.deletionTimestamp !== undefined) return waiting('its Job is being deleted');
  if (pod !== undefined && mayRun(pod)) return waitOf(pod);
  const failed = conditionOf(job, 'Failed') ?? conditionOf(job, 'FailureTarget');
  if (failed?.['reason'] === DEADLINE_EXCEEDED) return { kind: 'timed_out' };
  if (end !== undefined) return end;
  if (failed !== undefined) return { kind: 'disrupted', words: 'the pod was removed' };
  if (conditionOf(job, 'Complete') !== undefined) return { kind: 'unknown' };
  return waiting('it waits for a pod');
}

/** Whether a Job has ended. */
export function hasEnded(job: KubeObject): boolean {
  return ['Complete', 'Failed'].some((type) => conditionOf(job, type) !== undefined);
}

/** Whether a pod may still do something. */
export function mayRun(pod: KubeObject): boolean {
  const { phase } = memberOf(pod, 'status');
  return phase !== 'Succeeded' && phase !== 'Failed';
}

/** Whether the first container of a pod has begun, and so has a log. */
export function hasBegun(pod: KubeObject): boolean {
  const { running, terminated } = stateOf(pod);
  return running !== undefined || terminated !== undefined;
}

/** The name of the first container, whose program carries out the action. */
export function containerOf(pod: KubeObject): string {
  const [first] = memberOf(pod, 'spec')['containers'] as readonly { readonly name: string }[];
  return first?.name ?? '';
}

function endOf(pod: KubeObject): Standing {
  const disruption = conditionOf(pod, 'DisruptionTarget');
  const status = memberOf(pod, 'status');
  const own = stateOf(pod)['terminated'] as JsonObject | undefined;
  const terminated = own ?? failedBefore(pod);
  if (terminated?.['exitCode'] === 0 && isByItself(terminated, pod)) return exited(terminated);
  if (status['reason'] === DEADLINE_EXCEEDED) return { kind: 'timed_out' };
  if (disruption !== undefined) return disrupted(disruption);
  if (pod.metadata.deletionTimestamp !== undefined) return disrupted({ reason: 'it was deleted' });
  if (terminated === undefined || typeof status['reason'] === 'string') return disrupted(status);
  if (terminated['reason'] !== 'OOMKilled') return exited(terminated);
  return { kind: 'out_of_memory', words: 'the container used more memory than its limit' };
}

/**
 * Whether a program ended before its pod was told to. Many end with 0 when they are stopped,
 * however far they are; one that had ended before is not touched by what came after it.
 */
function isByItself({ finishedAt }: JsonObject, pod: KubeObject): boolean {
  const { deletionGracePeriodSeconds: grace, deletionTimestamp: goneAt } = pod.metadata;
  const graceMs = Number(grace ?? 0) * 1_000;
  const { lastTransitionTime: movedAt } = conditionOf(pod, 'DisruptionTarget') ?? {};
  const timeMs = Number(memberOf(pod, 'spec')['activeDeadlineSeconds'] ?? NaN) * 1_000;
  const overAt = timeOf(memberOf(pod, 'status')['startTime']) + timeMs;
  const told = [timeOf(goneAt) - graceMs, timeOf(movedAt), overAt];
  return !told.some((at) => timeOf(finishedAt) >= at);
}

/** Milliseconds; NaN, which is before and after nothing: the cluster does not say it. */
function timeOf(text: JsonValue | undefined): number {
  return typeof text === 'string' ? Date.parse(text) : NaN;
}

function disrupted({ message, reason }: JsonObject): Standing {
  const words = [reason, message].filter((one) => typeof one === 'string').join(': ');
  return { kind: 'disrupted', words: `the pod was taken away${words === '' ? '' : `: ${words}`}` };
}

function exited({ exitCode, message }: JsonObject): Standing {
  const code = Number(exitCode);
  const signal = code - SIGNAL_BASE;
  const isSignal = signal > 0 && signal <= SIGNAL_MAX;
  const exit = isSignal ? { code: null, signal: `signal ${signal}` } : { code, signal: null };
  const output = typeof message === 'string' ? message : '';
  return { kind: 'exited', exit, words: code === 0 ? '' : output, output };
}

/** The end of an init container, for which the first one has never begun. */
function failedBefore(pod: KubeObject): JsonObject | undefined {
  const ends = statusesOf(pod, 'initContainerStatuses').map((one) => {
    return memberOf(memberOf(one, 'state'), 'terminated');
  });
  return ends.find(({ exitCode = 0 }) => exitCode !== 0);
}

function waitOf(pod: KubeObject): Standing {
  const { message, reason } = (stateOf(pod)['waiting'] ?? {}) as JsonObject;
  if (typeof reason === 'string' && STUCK.has(reason)) {
    return { kind: 'waits', words: sentence(reason, message), isStuck: true };
  }
  const scheduled = conditionIn(pod, 'PodScheduled');
  if (scheduled?.['status'] !== 'False') return waiting(null);
  return waiting(sentence(scheduled['reason'], scheduled['message']));
}

function waiting(words: string | null): Standing {
  return { kind: 'waits', words, isStuck: false };
}

function sentence(reason: unknown, message: unknown): string {
  return typeof message === 'string' ? `${String(reason)}: ${message}` : String(reason);
}

function stateOf(pod: KubeObject): JsonObject {
  const name = containerOf(pod);
  const own = statusesOf(pod, 'containerStatuses').find((one) => one['name'] === name);
  return own === undefined ? {} : memberOf(own, 'state');
}

function statusesOf(pod: KubeObject, name: string): readonly JsonObject[] {
  const statuses = memberOf(pod, 'status')[name];
  return Array.isArray(statuses) ? (statuses as readonly JsonObject[]) : [];
}

/** A condition that holds. */
function conditionOf(object: KubeObject, type: string): JsonObject | undefined {
  const found = conditionIn(object, type);
  return found?.['status'] === 'True' ? found : undefined;
}

function conditionIn(object: KubeObject, type: string): JsonObject | undefined {
  const { conditions } = memberOf(object, 'status');
  const all = Array.isArray(conditions) ? (conditions as readonly JsonObject[]) : [];
  return all.find((one) => one['type'] === type);
}
