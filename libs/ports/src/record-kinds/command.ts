import type { JsonObject } from '#core';
import { DATE, OBJECT, TEXT } from '#core/json';
import { recordKind } from '../record-kind.js';

/** The defaults that all flows which use a command inherit. */
export interface CommandRecord {
  readonly module: string;
  readonly command: string;
  /** Milliseconds since 1970. */
  readonly updatedAt: number;
  /** As it was written. */
  readonly defaults: JsonObject;
}

/** The defaults of commands. */
export const COMMAND = recordKind<CommandRecord>({
  name: 'command',
  plural: 'command_defaults',
  shape: { module: TEXT, command: TEXT, updatedAt: DATE, defaults: OBJECT },
  idOf: commandId,
  moments: ['updatedAt'],
  indexes: {},
});

/** The id of the defaults of a command. Both names may have any character. */
export function commandId({ command, module }: Pick<CommandRecord, 'command' | 'module'>): string {
  return JSON.stringify([module, command]);
}
