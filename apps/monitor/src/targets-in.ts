import type { CommandContext } from '#ports';
import type { TargetParameters } from './monitor.parameters.js';
import type { Target } from './target-list.js';

/** The parameters name nothing to watch, or something that Prometheus would not take. */
export class NoTarget extends Error {
  override readonly name = 'NoTarget';
}

const ENDPOINT = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(:\d{1,5})?$/;
const LABEL = /^[A-Za-z_][A-Za-z0-9_]*$/;

interface Member {
  readonly instance: string;
  readonly endpoint: string;
  readonly role: unknown;
}

/**
 * What is to be watched: the members of a cluster that the steps before have made, or one instance.
 */
export function targetsIn(
  parameters: TargetParameters,
  context: Pick<CommandContext, 'flow' | 'parameters' | 'taskId'>,
): readonly Target[] {
  const members = membersIn(context.parameters);
  const { endpoint, instance, role } = parameters;
  if (members.length === 0 && instance && endpoint) members.push({ instance, endpoint, role });
  if (members.length === 0) {
    throw new NoTarget('add_target needs an `instance` and its `endpoint`');
  }
  const more = labelsIn(parameters.targetLabels ?? {});
  return members.map((member) => {
    if (!ENDPOINT.test(member.endpoint)) {
      throw new NoTarget(`"${member.endpoint}" is no host and port`);
    }
    const roleLabel = typeof member.role === 'string' ? { role: member.role } : {};
    const own = { instance: member.instance, flow: context.flow, task_id: context.taskId };
    const labels = { ...more, ...own, ...roleLabel };
    return { instance: member.instance, target: member.endpoint, labels };
  });
}

/** Names of what is not to be watched any more. */
export function instancesIn(
  { instance }: TargetParameters,
  context: Pick<CommandContext, 'parameters'>,
): readonly string[] {
  const members = membersIn(context.parameters).map((member) => member.instance);
  if (members.length > 0) return members;
  if (instance) return [instance];
  throw new NoTarget('remove_target needs the name of an `instance`');
}

function membersIn(parameters: object): Member[] {
  return Object.values(parameters).filter((value: Partial<Member> | null | undefined) => {
    return typeof value?.instance === 'string' && typeof value.endpoint === 'string';
  }) as Member[];
}

function labelsIn(given: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      if (LABEL.test(name) && typeof value === 'string') return [name, value];
      throw new NoTarget(`"${name}" in targetLabels is no label of Prometheus with a text`);
    }),
  );
}
