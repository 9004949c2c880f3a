import type { EventOf, JsonObject, Task } from '#core';
import { actionOf } from '#core/scopes';
import type { OutputRules } from '#engine';
import {
  CheckerBusy,
  CheckTooCostly,
  type FlowChecker,
  type InputProblem,
  splitPointer,
} from '#flow-files';
import { Problem } from '#http-server';
import type { CommonParts, FlowParts } from '../options.js';
import { tooManyChecks } from '../requests/too-many-checks.js';

/** A part of an output that is wrong. The pointer is into the body of the request. */
interface OutputError {
  readonly pointer: string;
  readonly message: string;
}

/** The fault of an output: the step fails for good, as it would be wrong again. */
export class UnfitOutput {
  constructor(
    readonly code: 'INVALID_OUTPUT' | 'OUTPUT_TOO_LARGE',
    readonly message: string,
    readonly errors: readonly OutputError[] = [{ pointer: '/output', message }],
    /** Headers of the answer. */
    readonly headers: Problem['headers'] = {},
  ) {}
}

/**
 * The fault of an output that does not fit what its worker has declared; null: it fits. Throws the
 * `Problem` that it cannot be checked now.
 */
export async function outputFault(
  checker: Pick<FlowChecker, 'checkOutput'>,
  { schema, secrets }: OutputRules,
  output: JsonObject,
): Promise<UnfitOutput | null> {
  try {
    const problems = await checker.checkOutput(schema, output);
    return problems.length === 0 ? null : faultOf(problems.map(withoutSecrets(secrets)));
  } catch (error) {
    if (error instanceof CheckerBusy) throw tooManyChecks();
    if (!(error instanceof CheckTooCostly)) throw error;
    return new UnfitOutput('INVALID_OUTPUT', `The output cannot be checked: ${error.message}.`);
  }
}

/**
 * Throws the `Problem` that an output which is reported from outside fits none of the schemas that
 * executors and workers announce for its command. Where one of them announces none, any will do. A
 * report that is repeated counts already. Nothing reads the output of an undo.
 */
export async function expectFitting(
  task: Task,
  event: EventOf<'completed'>,
  { announced, checker }: Pick<CommonParts, 'checker'> & Pick<FlowParts, 'announced'>,
): Promise<void> {
  const { direction, key, result } = event;
  const isRepeated = key !== null && task.doneActions.some((done) => done.key === key);
  if (direction !== 'normal' || !('output' in result) || isRepeated) return;
  const action = actionOf(task, event);
  if (action === undefined) return;
  const known = await announced?.now();
  const schemas = known?.outputs?.(action.module, action.command) ?? [];
  let first: UnfitOutput | null = null;
  for (const schema of schemas) {
    const rules = { schema, secrets: [] };
    const fault = await outputFault(checker, rules, result.output ?? {});
    if (fault === null) return;
    first ??= fault;
  }
  if (first !== null) throw new Problem(first.code, first.message, { errors: first.errors });
}

function faultOf(problems: readonly InputProblem[]): UnfitOutput {
  const errors = problems.map(({ message, pointer }) => {
    return { pointer: `/output${pointer}`, message };
  });
  const [first] = errors;
  const message = `The output does not fit its schema at ${first?.pointer}: ${first?.message}`;
  return new UnfitOutput('INVALID_OUTPUT', message, errors);
}

/** A fault within a secret member tells no more than that: even names in it may be secret. */
function withoutSecrets(secrets: readonly string[]): (problem: InputProblem) => InputProblem {
  return (problem) => {
    const [member] = splitPointer(problem.pointer);
    if (member === undefined || !secrets.includes(member)) return problem;
    const [pointer] = /^\/[^/]*/.exec(problem.pointer) ?? [''];
    return { pointer, message: 'A secret member does not have the form that it must have.' };
  };
}
