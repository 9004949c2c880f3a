import { isDeepStrictEqual } from 'node:util';
import { assertNever } from '#core';
import type { KeyRecord } from '#ports';
import { isLimited, type Limits, seesFlow, seesTask, usesModule } from './principal.js';

/** A record that a caller is about to store, change or remove, and what it has an effect on. */
export type ChangedRecord =
  /** A flow, or what is kept about its versions, with the modules of its newest version. */
  | { readonly kind: 'flow'; readonly flow: string; readonly modules: readonly string[] }
  /** A fault that strikes tasks of a flow. */
  | { readonly kind: 'fault'; readonly flow: string }
  /** The defaults that flows inherit of a command, with the modules that they name. */
  | { readonly kind: 'command'; readonly modules: readonly string[] }
  /** The limits of a module. */
  | { readonly kind: 'limit'; readonly module: string }
  /** A schedule, by the tasks that it starts. */
  | {
      readonly kind: 'schedule';
      readonly flow: string;
      readonly labels: Readonly<Record<string, string>>;
      readonly modules: readonly string[];
    }
  /** A notification, by the tasks that it tells of, or about more than tasks. */
  | { readonly kind: 'notification'; readonly scope: Pick<KeyRecord, 'flows' | 'labels'> | null };

/**
 * Why a caller's limits do not let him change a record, as the rest of a sentence about him; null:
 * they do. A record may be changed only by those who see all tasks that it has an effect on.
 */
export function whyNotChange(limits: Limits, record: ChangedRecord): string | null {
  switch (record.kind) {
    case 'flow':
    case 'fault':
      return whyNotFlow(limits, record);
    case 'command':
      return whyNotCommand(limits, record.modules);
    case 'limit':
      if (isLimited(limits)) return 'is limited, and the limits of a module are for all tasks';
      return whyNotModules(limits, [record.module]);
    case 'schedule':
      if (!seesTask(limits, record)) return 'may not change this schedule';
      return whyNotModules(limits, record.modules);
    case 'notification':
      return whyNotNotification(limits, record.scope);
    default:
      return assertNever(record);
  }
}

function whyNotFlow(
  limits: Limits,
  { flow, ...record }: Extract<ChangedRecord, { readonly flow: string }>,
): string | null {
  if (!seesFlow(limits, flow)) return 'is limited to other flows';
  // Named flows are his own, whatever labels their tasks have.
  if (limits.labels !== null && limits.flows === null) {
    return 'is limited to some labels, and a flow is for tasks of all labels';
  }
  return whyNotModules(limits, 'modules' in record ? record.modules : []);
}

function whyNotCommand(limits: Limits, modules: readonly string[]): string | null {
  if (!isLimited(limits)) return whyNotModules(limits, modules);
  const what = limits.flows === null ? 'labels' : 'flows';
  return `is limited to some ${what}, and all flows inherit from a command`;
}

function whyNotModules(limits: Limits, modules: readonly string[]): string | null {
  const other = modules.find((module) => !usesModule(limits, module));
  return other === undefined ? null : `may not use the module ${other}`;
}

function whyNotNotification(
  limits: Limits,
  scope: Pick<KeyRecord, 'flows' | 'labels'> | null,
): string | null {
  if (!isLimited(limits)) return null;
  if (scope === null) return 'is limited, and this is about all tasks';
  const { flows, labels } = limits;
  return isDeepStrictEqual(scope, { flows, labels }) ? null : 'may not change this notification';
}
