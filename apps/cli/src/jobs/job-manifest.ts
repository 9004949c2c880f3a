import { hash } from 'node:crypto';
import { type JsonObject, type JsonValue, WORK_LEASE_MS } from '#core';
import { readJson } from '#json';
import type { WorkItem } from '#worker';
import { itemVariables, parameterVariables } from '../worker/program-environment.js';
import { type KubeObject, memberOf } from './kube-api.js';

/** The label with the name of the launcher that a Job, its pod and its Secret belong to. */
export const LAUNCHER = 'backstep/launcher';
/** The label that all Jobs of a step have in common, forward and back. */
export const RUN = 'backstep/run';
/** The annotation of a Secret with the item that its Job carries out, without its parameters. */
const ITEM = 'backstep/item';
/** The key of a Secret with all parameters, as JSON. */
const PARAMETERS = 'parameters';
const FOLDER = '/run/backstep';
const FILE = 'parameters.json';
const VOLUME = 'backstep-parameters';
/** Where a container writes what Kubernetes keeps of it, up to 4 KiB. */
const OUTPUT = '/dev/termination-log';
/** Shorter than the time that a cancelled action has to stop in. */
const GRACE_SECONDS = 8;
/** How long an ended Job is kept for people. */
const KEPT_SECONDS = 3_600;
/** How long it is kept at least: the longest time that its launcher may be away. */
const KEPT_SECONDS_MIN = WORK_LEASE_MS.max / 1_000;
const HASH_LENGTH = 20;
/** With the hash, a name has at most 63 characters. */
const STEP_MAX = 40;
const BYTES_MAX = 4 * 1024 * 1024;

/** The names of an action in the cluster. */
interface JobNames {
  /** Of its Job and its Secret: the same whoever makes them, and another for each claim. */
  readonly job: string;
  /** The value of the label `RUN`. */
  readonly run: string;
}

/** The names of the Job of a claim. */
export function namesOf({ direction, fencingToken, run, step, taskId }: WorkItem): JobNames {
  const plain = step
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, STEP_MAX);
  const hash = hashOf([taskId, run, direction, String(fencingToken)]);
  return { job: `${plain}-${hash}`.replace(/^-+/, ''), run: hashOf([taskId, run]) };
}

function hashOf(parts: readonly string[]): string {
  return hash('sha256', JSON.stringify(parts), 'hex').slice(0, HASH_LENGTH);
}

/**
 * The record of a claim: a Secret with the parameters, and with all that the next launcher needs to
 * go on with it.
 */
export function secretOf(item: WorkItem, launcher: string): KubeObject {
  const { completionToken: _token, forward, parameters, results: _results, ...rest } = item;
  // Annotations hold 256 KiB in all, and the output of the forward action is in the parameters.
  const kept = { ...rest, ...(forward !== undefined && { forward: { ...forward, output: null } }) };
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      ...{ name: namesOf(item).job, labels: labelsOf(item, launcher) },
      annotations: { [ITEM]: JSON.stringify(kept) },
    },
    type: 'Opaque',
    stringData: { [PARAMETERS]: JSON.stringify(parameters), ...parameterVariables(parameters) },
  };
}

/** The item of such a record; null: it is none. */
export function itemOf({ data, metadata }: KubeObject): WorkItem | null {
  const text = metadata.annotations?.[ITEM];
  const encoded = (data as Readonly<Record<string, string>> | undefined)?.[PARAMETERS];
  if (text === undefined || encoded === undefined) return null;
  const kept = readJson(text, { bytes: BYTES_MAX, isOwn: true }) as object as WorkItem;
  const bytes = Buffer.from(encoded, 'base64');
  const parameters = readJson(bytes, { bytes: BYTES_MAX, isOwn: true }) as WorkItem['parameters'];
  return { ...kept, completionToken: '', parameters, results: {} };
}

/** Has the cluster remove the Secret of a Job with the Job. */
export function ownedBy({ metadata }: KubeObject): object {
  const { name, uid } = metadata;
  return { metadata: { ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name, uid }] } };
}

/** The Job of an action, from what a template makes of it. */
export function jobOf(manifest: JsonObject, item: WorkItem, launcher: string): JsonObject {
  const labels = labelsOf(item, launcher);
  const [metadata, spec] = [memberOf(manifest, 'metadata'), memberOf(manifest, 'spec')];
  const { generateName: _generated, namespace: _namespace, ...rest } = metadata;
  const task = { 'backstep/task': item.taskId, 'backstep/step': item.step };
  return {
    ...manifest,
    metadata: {
      ...rest,
      name: namesOf(item).job,
      labels: { ...memberOf(metadata, 'labels'), ...labels },
      annotations: { ...memberOf(metadata, 'annotations'), ...task },
    },
    spec: {
      ...spec,
      ...keepingOf(spec),
      ...deadlineOf(spec, item),
      ...{ backoffLimit: 0, completions: 1, parallelism: 1, podReplacementPolicy: 'Failed' },
      template: podOf(memberOf(spec, 'template'), item, labels),
    },
  };
}

/** A Job that is gone before its launcher has seen its end would be taken for a deleted one. */
function keepingOf({ ttlSecondsAfterFinished: own = KEPT_SECONDS }: JsonObject): JsonObject {
  const isShort = typeof own === 'number' && own < KEPT_SECONDS_MIN;
  return { ttlSecondsAfterFinished: isShort ? KEPT_SECONDS_MIN : own };
}

/** The cluster ends the pod when the attempt is over, also where no launcher lives. */
function deadlineOf({ activeDeadlineSeconds: own }: JsonObject, item: WorkItem): JsonObject {
  const { attemptTimeLeftMs: leftMs } = item;
  if (!Number.isFinite(leftMs)) return {};
  const left = Math.max(1, Math.ceil(leftMs / 1_000));
  return { activeDeadlineSeconds: typeof own === 'number' ? Math.min(own, left) : left };
}

function podOf(template: JsonObject, item: WorkItem, labels: JsonObject): JsonObject {
  const [metadata, spec] = [memberOf(template, 'metadata'), memberOf(template, 'spec')];
  const [first = {}, ...others] = spec['containers'] as readonly JsonObject[];
  const items = [{ key: PARAMETERS, path: FILE }];
  const volume = { name: VOLUME, secret: { secretName: namesOf(item).job, items } };
  return {
    ...template,
    metadata: { ...metadata, labels: { ...memberOf(metadata, 'labels'), ...labels } },
    spec: {
      ...{ automountServiceAccountToken: false, terminationGracePeriodSeconds: GRACE_SECONDS },
      ...spec,
      restartPolicy: 'Never',
      containers: [containerOf(first, item), ...others],
      volumes: [...listOf(spec['volumes']), volume],
    },
  };
}

function containerOf(container: JsonObject, item: WorkItem): JsonObject {
  const name = namesOf(item).job;
  const { terminationMessagePath: path } = container;
  const plain = {
    ...itemVariables(item),
    BACKSTEP_OUTPUT: typeof path === 'string' ? path : OUTPUT,
    BACKSTEP_PARAMETERS: `${FOLDER}/${FILE}`,
  };
  const own = Object.entries(plain).map(([key, value]) => ({ name: key, value }));
  const secret = Object.keys(parameterVariables(item.parameters)).map((key) => {
    return { name: key, valueFrom: { secretKeyRef: { name, key } } };
  });
  const mount = { name: VOLUME, mountPath: FOLDER, readOnly: true };
  return {
    ...container,
    env: [...listOf(container['env']), ...own, ...secret],
    volumeMounts: [...listOf(container['volumeMounts']), mount],
  };
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}

function labelsOf(item: WorkItem, launcher: string): Readonly<Record<string, string>> {
  return { [LAUNCHER]: launcher, [RUN]: namesOf(item).run };
}
