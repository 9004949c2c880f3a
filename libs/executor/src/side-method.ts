import { MessagePattern } from '@nestjs/microservices';
import type { TaskMarks } from '#ports';
import { EXECUTOR_TRANSPORT, SIDE_QUESTION } from './command-metadata.js';

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

/** A method that `@KeepsMarks` fits on. */
export type MarksMethod = () => readonly TaskMarks[] | Promise<readonly TaskMarks[]>;

/** The questions that methods of executors answer besides their commands. */
export type SideQuestion = 'marks' | 'residue';

/** A decorator that fits on methods of a type. */
type DecoratorOf<M> = <T extends M>(
  target: object,
  key: string,
  descriptor: TypedPropertyDescriptor<T>,
) => void;

/** A decorator that makes a method of an executor the one that answers a question. */
function answering(question: SideQuestion) {
  return (_target: object, _key: string, { value }: PropertyDescriptor): void => {
    if (value !== undefined) Reflect.defineMetadata(SIDE_QUESTION, question, value as object);
  };
}

/** The question that a method was decorated to answer; undefined: none. */
export function questionOf(method: object): SideQuestion | undefined {
  return Reflect.getMetadata(SIDE_QUESTION, method) as SideQuestion | undefined;
}

/** The extras of such a method's message pattern. */
interface SideExtras {
  readonly module: string;
  readonly question: SideQuestion;
  /** `MysqlExecutor.residue`, so that no two methods have one pattern. */
  readonly sideMethod: string;
}

/** Gives the method to the executor server, under a name that no command has. */
export function serveSideMethod(
  extras: SideExtras,
  [prototype, key, descriptor]: readonly [object, string, PropertyDescriptor],
): void {
  const name = `${extras.module}:${extras.question}:${extras.sideMethod}`;
  MessagePattern(name, EXECUTOR_TRANSPORT, { ...extras })(prototype, key, descriptor);
}

/** Whether a pattern is one of such a method. */
export function isSideExtras(extras: object | undefined): extras is SideExtras {
  return extras !== undefined && 'sideMethod' in extras;
}

/**
 * Makes a method of an executor the one that says where it keeps marks: its barriers. Where
 * `BACKSTEP_RETENTION` is set, the process has them forget the marks of tasks that retention has
 * removed. It is asked again for each pass. The marks of an executor without one are kept for ever.
 */
export function KeepsMarks(): DecoratorOf<MarksMethod> {
  return answering('marks');
}

/**
 * Makes a method of an executor the one that says what it still holds for a task. `backstep flow
 * drill` asks it when a task has ended. An executor without one is taken to hold nothing. An error
 * that it throws ends the drill.
 */
export function ReportsResidue(): DecoratorOf<ResidueMethod> {
  return answering('residue');
}
