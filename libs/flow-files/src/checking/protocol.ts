import type { JsonObject } from '#core';
import { type CommandRecord, ProcessUnavailable } from '#ports';
import type { FlowOutline } from '../doctor/flow-outline.js';
import type { CommandList } from '../known-commands.js';

/** A question to the process of checks. */
export type Question =
  | {
      readonly kind: 'file';
      readonly text: string;
      /** The text is of one flow of this name, without the file around it; null: of a file. */
      readonly flow: string | null;
      /** Commands that there are; null: they are not checked. */
      readonly commands: CommandList | null;
      /** The flows beside those of the text; null: they are not known. */
      readonly flows: readonly FlowOutline[] | null;
      /** Stored defaults of commands, for actions to inherit; null: none. */
      readonly defaults: readonly CommandRecord[] | null;
      /** Names of steps around the text, which is a part of a flow; null: it is all of it. */
      readonly around: readonly string[] | null;
    }
  | {
      readonly kind: 'input';
      /** The same for the same schema, so that it is compiled once. */
      readonly id: number;
      readonly input: JsonObject;
      /** The value itself, worded to begin a sentence; absent: these are parameters. */
      readonly subject?: string | undefined;
      readonly parameters: JsonObject;
    };

/** A message of the process: `ready` once at the start, then an answer for each question. */
export type Saying =
  | { readonly kind: 'ready' }
  | { readonly kind: 'answer'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly message: string };

/** Longest own time of a check, in milliseconds. */
export const OWN_TIME_MS = 1_000;

/** Thrown where a check took more time or memory than it may; its process was ended for it. */
export class CheckTooCostly extends Error {
  override readonly name = 'CheckTooCostly';
}

/** Thrown where too many checks wait already, or nobody waits for this one any more. */
export class CheckerBusy extends ProcessUnavailable {
  override readonly name = 'CheckerBusy';
}
