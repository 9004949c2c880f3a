import { type FlowVersion, isFinal, type JsonObject, type Task } from '#core';
import { SEAL_MARK } from '#core/secrets';
import { isAsOf, type PersonsEvent } from '#engine';
import { Problem } from '#http-server';
import type { OssOptions } from '../options.js';
import { sealedPointers } from '../tasks/handed-secrets.js';
import { namesAtRunTime, startsOf } from '../tasks/modules-of.js';

type Flows = Pick<OssOptions, 'flows' | 'flowStore'>;

/**
 * Throws the `Problem` that a task which has ended may not be reset with the secrets that it was
 * given: a flow of which it starts child tasks has other steps by now, and its author would read
 * them. The way out is to send them again. The task itself keeps the steps that it has.
 */
export async function expectMayReset(
  task: Task,
  event: PersonsEvent,
  options: Flows,
): Promise<void> {
  if (event.kind !== 'reset_requested' || !task.hasSecrets || !isFinal(task.status)) return;
  const edits = task.edits.map(({ values }) => values);
  const all = Object.assign({}, task.plan.parameters, ...edits, event.parameters) as JsonObject;
  const pointers = sealedPointers(all, '/parameters');
  // Nobody can send again what commands gave.
  const isMade = JSON.stringify(task.runs.map(({ normal }) => normal.output)).includes(SEAL_MARK);
  if (pointers.length === 0 && !isMade) return;
  const changed = await changedSince(task, options);
  if (changed === null) return;
  const message = `Flow ${changed} has other steps since the task ended, which would get its secrets.`;
  if (pointers.length === 0) {
    throw new Problem('SECRET_NEEDED', `${message} Start a new task instead.`);
  }
  const hint = 'Send the secret again.';
  const errors = pointers.map((pointer) => ({ pointer, message, hint }));
  throw new Problem('SECRET_NEEDED', message, { errors });
}

/** Name of a flow that the task may start and that does other work since it ended; null: none. */
async function changedSince(task: Task, { flowStore, flows }: Flows): Promise<string | null> {
  for (const version of await startable(task, flows)) {
    const isSame = await isAsOf(flowStore, version, task.endedAt ?? task.plan.createdAt);
    if (!isSame) return version.definition.name;
  }
  return null;
}

/** The flows of which the task may start others, at any depth: all flows where names come later. */
async function startable({ plan }: Task, flows: Flows['flows']): Promise<readonly FlowVersion[]> {
  const found = new Map<string, FlowVersion>();
  const open = [{ steps: plan.steps }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (namesAtRunTime(next.steps)) return flows.list();
    for (const { name, version } of startsOf(next)) {
      const one = version === null ? flows.find(name) : await flows.findVersion(name, version);
      const key = `${name}@${version ?? ''}`;
      if (!one || found.has(key)) continue;
      found.set(key, one);
      open.push(one.definition);
    }
  }
  return [...found.values()];
}
