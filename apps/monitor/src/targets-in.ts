import type { JsonObject } from '#core';
import type { CommandContext } from '#ports';
import { checkedEndpoint } from './endpoint.js';
import type { TargetParameters } from './monitor.parameters.js';
import type { Target } from './target-list.js';

/** The parameters name nothing to watch, or something that Prometheus would not take. */
export class NoTarget extends Error {
  override readonly name = 'NoTarget';
}

const LABEL = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Labels that say where a target comes from; and `__...` steers Prometheus itself. */
const RESERVED = new Set(['job', 'instance', 'flow', 'task_id']);

interface Member {
  readonly instance: string;
  readonly endpoint: string;
  readonly role?: unknown;
}

type Given = Pick<CommandContext, 'flow' | 'results' | 'taskId'>;

/**
 * The targets to watch: those that earlier steps have made (one instance, or the members of a
 * cluster), else the instance that the parameters name. Made instances are read from the results of
 * steps alone, so a request cannot pose as a step. Throws `NoTarget`.
 */
export function targetsIn(parameters: TargetParameters, context: Given): readonly Target[] {
  const made = membersIn(context.results);
  const { endpoint, instance, role } = parameters;
  const members = made.length > 0 || !instance || !endpoint ? made : [{ instance, endpoint, role }];
  if (members.length === 0) {
    throw new NoTarget('add_target needs an `instance` and its `endpoint`');
  }
  const more = labelsIn(parameters.targetLabels ?? {});
  return members.map((member) => {
    const target = checkedEndpoint(member.endpoint);
    if (target === null) {
      throw new NoTarget(`"${member.endpoint}" is no host and port that may be watched`);
    }
    const memberRole = member.role ?? role;
    const roleLabel = typeof memberRole === 'string' ? { role: memberRole } : {};
    const own = { instance: member.instance, flow: context.flow, task_id: context.taskId };
    return { instance: member.instance, target, labels: { ...more, ...own, ...roleLabel } };
  });
}

/** Names of the instances that are no longer to be watched. Throws `NoTarget`. */
export function instancesIn(
  { instance }: TargetParameters,
  context: Pick<CommandContext, 'results'>,
): readonly string[] {
  const members = membersIn(context.results).map((member) => member.instance);
  if (members.length > 0) return members;
  if (instance) return [instance];
  throw new NoTarget('remove_target needs the name of an `instance`');
}

/** The instances in the results of steps: a result is one, or an object with one per member. */
function membersIn(results: CommandContext['results']): readonly Member[] {
  const given = Object.values(results).flatMap((result) => [result, ...Object.values(result)]);
  return given.filter((value): value is JsonObject & Member => {
    const { endpoint, instance } = (value ?? {}) as Partial<Record<keyof Member, unknown>>;
    return typeof instance === 'string' && typeof endpoint === 'string';
  });
}

function labelsIn(given: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const isFree = LABEL.test(name) && !name.startsWith('__') && !RESERVED.has(name);
      if (isFree && typeof value === 'string') return [name, value];
      throw new NoTarget(`"${name}" in targetLabels is no label that may be set, with a text`);
    }),
  );
}
