import { BlockList, isIP } from 'node:net';
import type { JsonObject } from '#core';
import type { CommandContext } from '#ports';
import { isMetadata } from '#outbound';
import type { TargetParameters } from './monitor.parameters.js';
import type { Target } from './target-list.js';

/** Addresses that nobody serves a database at: this network, multicast, broadcast. */
const FORBIDDEN = new BlockList();

const FORBIDDEN_NAME = /^metadata(\.|$)|(^|\.)metadata\.(google\.)?internal$/;
const ENDPOINT = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(:\d{1,5})?$/;

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

FORBIDDEN.addSubnet('0.0.0.0', 8, 'ipv4');

FORBIDDEN.addAddress('::', 'ipv6');

FORBIDDEN.addSubnet('224.0.0.0', 3, 'ipv4');

FORBIDDEN.addSubnet('ff00::', 8, 'ipv6');

/**
 * A host and, if given, its port, in the one spelling that means the same to everybody; null where
 * it is none, or one that Prometheus must not be sent to: link-local addresses and metadata
 * services, however they are written. A name is not resolved: what it leads to is its owner's.
 */
export function checkedEndpoint(text: string): string | null {
  if (!ENDPOINT.test(text)) return null;
  const port = /:(\d+)$/.exec(text.replace(/^\[.*\]/, ''))?.[1];
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65_535)) return null;
  // The URL standard turns decimal, octal, hexadecimal and short addresses into plain ones.
  if (!URL.canParse(`http://${text}`)) return null;
  const host = new URL(`http://${text}`).hostname.replace(/\.$/, '');
  const address = host.replace(/^\[|\]$/g, '');
  const family = isIP(address);
  if (family === 0 ? FORBIDDEN_NAME.test(address) : isForbidden(address, family)) return null;
  return port === undefined ? host : `${host}:${Number(port)}`;
}

function isForbidden(address: string, family: number): boolean {
  return isMetadata(address) || FORBIDDEN.check(address, family === 4 ? 'ipv4' : 'ipv6');
}
