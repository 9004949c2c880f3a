import { MessagePattern } from '@nestjs/microservices';
import { EXECUTOR_TRANSPORT, SIDE_QUESTION } from './command-metadata.js';

/** The questions that methods of executors answer besides their commands. */
export type SideQuestion = 'marks' | 'residue';

/** Makes a method of an executor the one that answers a question. */
export function answersQuestion(method: object, question: SideQuestion): void {
  Reflect.defineMetadata(SIDE_QUESTION, question, method);
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
