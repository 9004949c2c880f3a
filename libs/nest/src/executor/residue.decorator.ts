import { MessagePattern } from '@nestjs/microservices';
import { EXECUTOR_TRANSPORT, RESIDUE_OF } from './command-metadata.js';

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
    if (descriptor.value !== undefined) {
      Reflect.defineMetadata(RESIDUE_OF, true, descriptor.value);
    }
  };
}

/** Whether a method was decorated so. */
export function reportsResidue(method: object): boolean {
  return Reflect.getMetadata(RESIDUE_OF, method) === true;
}

/** The extras of such a method's message pattern. */
interface ResidueExtras {
  readonly module: string;
  readonly residueMethod: string;
}

/** Gives the method to the executor server, under a name that no command has. */
export function serveResidue(
  extras: ResidueExtras,
  [prototype, key, descriptor]: readonly [object, string, PropertyDescriptor],
): void {
  const name = `${extras.module}:residue:${extras.residueMethod}`;
  MessagePattern(name, EXECUTOR_TRANSPORT, { ...extras })(prototype, key, descriptor);
}

/** Whether a pattern is one of such a method. */
export function isResidueExtras(extras: object | undefined): extras is ResidueExtras {
  return extras !== undefined && 'residueMethod' in extras;
}
