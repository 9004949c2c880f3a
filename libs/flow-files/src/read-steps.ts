import type { Answer, JsonValue, Question, StepPlan } from '#core';
import type { AbortSignalLike, CommandRecord, Evaluator } from '#ports';
import type { KnownCommands } from './known-commands.js';
import { type FlowReading, parseFlow } from './parse-flow.js';
import type { Problem } from './problem.js';

/** A list of steps that was made while a task ran: sound, or what is wrong with it. */
export type StepsReading =
  | { readonly kind: 'sound'; readonly steps: readonly StepPlan[] }
  | { readonly kind: 'unsound'; readonly problems: readonly Problem[] };

/** Commands, defaults and names of steps that such a list may use. */
export interface StepsKnown {
  /** Absent: any modules and commands. */
  readonly commands?: KnownCommands | undefined;
  /** Stored defaults of commands, for actions to inherit; absent: none. */
  readonly defaults?: readonly CommandRecord[] | undefined;
  /** Names of the steps in the lists around. */
  readonly around: readonly string[];
}

/** On whose account a list of steps is read. */
export interface StepsAsker {
  /** The flow of the task. */
  readonly flow: string;
  /** Aborted when nobody wants the result any more; absent: a task waits for it. */
  readonly draft?: AbortSignalLike | undefined;
}

/** Reads a list of steps, and ends whatever the list is. Rejects where that cannot be had. */
type ReadSteps = (steps: JsonValue, known: StepsKnown, asker: StepsAsker) => Promise<StepsReading>;

/** Name of the flow that a list of steps is read as. */
export const NAME_OF_STEPS = 'steps';

/** Checks a list of steps like a flow file, with all bounds of one. Never throws. */
export function readSteps(steps: JsonValue, known: StepsKnown): StepsReading {
  return stepsOfReading(parseFlow(NAME_OF_STEPS, JSON.stringify(steps), known));
}

/** The list of steps that was read as if it were a flow. */
export function stepsOfReading(reading: FlowReading): StepsReading {
  if (reading.kind === 'unsound') return reading;
  return { kind: 'sound', steps: reading.flow.definition.steps };
}

/** The commands served now, and their defaults. Rejects where they cannot be had now. */
type ServedNow = () => Promise<Pick<StepsKnown, 'commands' | 'defaults'>>;

/**
 * Evaluates expressions, and checks the values that are steps. An answer has the plan of each, or
 * names every fault.
 */
export class StepReadingEvaluator implements Evaluator {
  constructor(
    private readonly evaluator: Evaluator,
    private readonly read: ReadSteps,
    /** Absent: steps may use any modules and commands. */
    private readonly served?: ServedNow,
  ) {}

  /** The answer. Rejects where there is none now. */
  async answer(question: Question, draft?: AbortSignalLike): Promise<Answer> {
    const answer = await this.evaluator.answer(question, draft);
    if ('fault' in answer) return answer;
    const made = question.members.filter(({ as, name }) => {
      // A file says nothing with an empty list; data may well have nothing to do.
      return as === 'steps' && name in answer.values && !isEmptyList(answer.values[name]);
    });
    const values = { ...answer.values };
    const { states, task } = question.scene;
    const around = Object.keys(states);
    const { flow } = task;
    for (const { name } of made) {
      const known = { around, ...(await this.served?.()) };
      const reading = await this.read(values[name] ?? [], known, { flow, draft });
      if (reading.kind === 'unsound') return faultIn(name, reading.problems);
      values[name] = reading.steps as unknown as JsonValue;
    }
    return { values };
  }
}

function isEmptyList(value: JsonValue | undefined): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** More than a person mends at once. */
const PROBLEMS_MAX = 20;

function faultIn(member: string, problems: readonly Problem[]): Answer {
  const shown = problems.slice(0, PROBLEMS_MAX).map(({ code, hint, message, pointer }) => {
    const words = message.replaceAll(`Flow \`${NAME_OF_STEPS}\``, 'The list');
    return `${pointer === '' ? 'all of it' : pointer}: ${words} ${hint} [${code}]`;
  });
  const more = problems.length - shown.length;
  const rest = more > 0 ? ` And ${more} more.` : '';
  const reason = `the resulting steps are invalid: ${shown.join(' ')}${rest}`;
  return { fault: { member, position: null, reason, code: 'INVALID_STEPS' } };
}
