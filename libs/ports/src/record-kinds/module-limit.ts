import type { ActionRef } from '#core';
import {
  COUNT,
  DATE,
  FINITE,
  listOf,
  NUMBERED,
  oneOf,
  orNull,
  type Shape,
  TEXT,
  withMembers,
} from '#core/json';
import { recordKind } from '../record-kind.js';

/** Limits of all processes together that run commands of a module. */
export interface ModuleLimit {
  readonly module: string;
  /** 1 and one more with every change. */
  readonly generation: number;
  /** Most actions that run at a time, 1 to 1,000; null: any number. */
  readonly maxConcurrency: number | null;
  /** Most actions that start in a second; null: any number. */
  readonly ratePerSecond: number | null;
  /** The label whose values take turns among the actions that wait; null: order time decides. */
  readonly fairBy: string | null;
  /** Since when it is this label, and of the last change: milliseconds since 1970. */
  readonly fairSince: number;
  readonly updatedAt: number;
  readonly updatedBy: string;
}

/** The limits of modules. */
export const MODULE_LIMIT = recordKind<ModuleLimit>({
  name: 'module_limit',
  plural: 'module_limits',
  shape: {
    module: TEXT,
    generation: NUMBERED,
    maxConcurrency: orNull(NUMBERED),
    ratePerSecond: orNull(FINITE),
    fairBy: orNull(TEXT),
    fairSince: DATE,
    updatedAt: DATE,
    updatedBy: TEXT,
  },
  idOf: ({ module }) => module,
  version: ['generation', 'updatedAt'],
  moments: ['fairSince', 'updatedAt'],
  indexes: {},
});

/** An action of a task. */
export interface TaskAction extends ActionRef {
  readonly taskId: string;
}

/** An action that counts against the limit of its module. */
export interface AdmittedAction extends TaskAction {
  /** The action is claimed on this revision of its task or not at all; 0: it was only called. */
  readonly revision: number;
  /** The session of the process that claims it; null: it was called, and nobody has come so far. */
  readonly by: string | null;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** The actions of one module that count against its limit. */
export interface AdmissionRecord {
  readonly module: string;
  /** 1 and one more with every write. */
  readonly revision: number;
  readonly actions: readonly AdmittedAction[];
  /** When the next action may start by the rate, in milliseconds since 1970. */
  readonly nextAt: number;
  /** Turn of the waiting action that was called last, where a label decides. */
  readonly turn: number;
  /** Generation of the limit for which the actions were counted that ran before it was set. */
  readonly counted: number;
}

const ACTION: Shape<TaskAction> = {
  taskId: TEXT,
  direction: oneOf(['normal', 'rollback'], 'a direction'),
  step: COUNT,
};

/** The admitted actions, by module. */
export const ADMISSION = recordKind<AdmissionRecord>({
  name: 'admission',
  plural: 'admissions',
  shape: {
    module: TEXT,
    revision: NUMBERED,
    actions: listOf(
      withMembers<AdmittedAction>(
        { ...ACTION, revision: COUNT, by: orNull(TEXT), at: DATE },
        'an admitted action',
      ),
      'a list of admitted actions',
    ),
    nextAt: DATE,
    turn: FINITE,
    counted: COUNT,
  },
  idOf: ({ module }) => module,
  version: ['revision'],
  moments: ['nextAt'],
  isPassing: true,
  indexes: {},
});

/** A queued action that the limit of its module keeps waiting. */
export interface WaitingAction extends TaskAction {
  readonly module: string;
  /** Value of the label whose values take turns; empty where none do. */
  readonly group: string;
  /** Of those that wait in a direction of a module, the one with the smallest is called next. */
  readonly turn: number;
}

/** The id of a waiting action. */
export function waitingId({ direction, step, taskId }: TaskAction): string {
  return `${taskId} ${direction} ${step}`;
}

/**
 * Actions that wait for the limit of their module. `line`: those of a module in a direction;
 * `group`: those of them in a group.
 */
export const WAITING_ACTION = recordKind<WaitingAction, 'group' | 'line'>({
  name: 'waiting_action',
  plural: 'waiting_actions',
  shape: { ...ACTION, module: TEXT, group: TEXT, turn: FINITE },
  idOf: waitingId,
  isPassing: true,
  indexes: {
    line: { of: ['module', 'direction'], by: 'turn' },
    group: { of: ['module', 'direction', 'group'], by: 'turn' },
  },
});
