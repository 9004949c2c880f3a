import type { JsonObject, JsonValue } from '#core';
import { importStateMachine } from './asl/import-state-machine.js';
import { importWorkflows } from './conductor/import-workflows.js';
import { nameOf, type Note, Notes, NotImportable } from './names.js';

/** Where definitions come from: Conductor, or Step Functions (Amazon States Language). */
const SOURCES = ['conductor', 'asl'] as const;

/** One of them. */
export type Source = (typeof SOURCES)[number];

/** A definition to import, and how. */
interface ImportRequest {
  readonly from: Source;
  /** The definition, read from JSON. */
  readonly definition: JsonValue;
  /** Name of the flow where the source has none; of a Conductor workflow its own is kept. */
  readonly name: string;
  /** Module of commands that the source names without a module. Default: the source's name. */
  readonly module?: string | undefined;
}

/** The result of an import. */
export interface Imported {
  /** Flows by name, as a flow file holds them. */
  readonly flow: JsonObject;
  /** Parts that were not carried over and why, and parts that a person must add. */
  readonly notes: readonly Note[];
}

/**
 * Turns a definition of another system into flows. Pure. Throws `NotImportable` where no flow can
 * be made that does the same, and nothing else, whatever the definition. The result must be checked
 * like any flow file.
 */
export function importFlow({ definition, from, module, name }: ImportRequest): Imported {
  const notes = new Notes();
  const target = { notes, module: nameOf(module ?? from, from), name: nameOf(name, 'imported') };
  try {
    const flow =
      from === 'asl' ? importStateMachine(definition, target) : importWorkflows(definition, target);
    return { flow, notes: notes.list };
  } catch (error) {
    // Nesting beyond what a flow may have.
    if (!(error instanceof RangeError)) throw error;
    const message = 'The definition is nested too deeply.';
    throw new NotImportable([...notes.list, { pointer: '', code: 'TOO_LARGE', message }]);
  }
}
