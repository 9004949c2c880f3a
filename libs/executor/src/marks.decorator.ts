import type { TaskMarks } from '#ports';
import { answersQuestion } from './side-method.js';

/** A method that `@KeepsMarks` fits on. */
export type MarksMethod = () => readonly TaskMarks[] | Promise<readonly TaskMarks[]>;

/**
 * Makes a method of an executor the one that says where it keeps marks: its barriers. Where
 * `BACKSTEP_RETENTION` is set, the process has them forget the marks of tasks that retention has
 * removed. It is asked again for each pass. The marks of an executor without one are kept for ever.
 */
export function KeepsMarks() {
  return <T extends MarksMethod>(
    _target: object,
    _key: string,
    descriptor: TypedPropertyDescriptor<T>,
  ): void => {
    if (descriptor.value !== undefined) answersQuestion(descriptor.value, 'marks');
  };
}
