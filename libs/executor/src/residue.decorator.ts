import { answersQuestion } from './side-method.js';

/** Something that an executor still holds for a task, such as a machine or an allocation. */
export interface Residue {
  /** A description for people: one line. */
  readonly what: string;
  /** Id of the run that made it, `context.run` of its command. Absent: nobody knows. */
  readonly run?: string;
}

/** The same, and the module that said it. */
export interface HeldResidue extends Residue {
  readonly module: string;
}

/** A method that `@ReportsResidue` fits on. */
export type ResidueMethod = (taskId: string) => readonly Residue[] | Promise<readonly Residue[]>;

/**
 * Makes a method of an executor the one that says what it still holds for a task. `backstep flow
 * drill` asks it when a task has ended. An executor without one is taken to hold nothing. An error
 * that it throws ends the drill.
 */
export function ReportsResidue() {
  return <T extends ResidueMethod>(
    _target: object,
    _key: string,
    descriptor: TypedPropertyDescriptor<T>,
  ): void => {
    if (descriptor.value !== undefined) answersQuestion(descriptor.value, 'residue');
  };
}
