import type { JsonValue } from '#core';
import { isExpression } from '#expressions';
import type { Evaluator } from '#ports';
import { parsePositiveDuration, WrongDuration } from '#wording';
import type { WorkItem } from '#worker';
import { CliError, EXIT } from '../exit.js';
import { expressionProblem, sceneOf } from './action-expressions.js';
import type { Program } from './find-program.js';

/** Limits of one program; null: it has none. */
interface Limits {
  /** As of `nice`: 0 to 19, the more the later its turn. */
  readonly nice: number | null;
  /** Address space of each of its processes. */
  readonly memoryBytes: number | null;
  readonly timeMs: number | null;
}

/** The limits, or why the values of their expressions are none. */
type Found = { readonly limits: Limits } | { readonly fault: string };

/** Options with a limit, and the value of each. */
const READERS = {
  '--nice': niceness,
  '--memory': bytes,
  '--time-limit': (value: JsonValue) => parsePositiveDuration(value as number | string),
} as const;

type LimitOption = keyof typeof READERS;

/** Texts of options with a limit: values, or expressions about the action. */
export type LimitTexts = Partial<Record<LimitOption, string>>;

/** The limits of programs, which may depend on the parameters of their actions. */
export class ProgramLimits {
  /** Throws a `CliError` for a text that is wrong whatever the parameters are. */
  constructor(
    private readonly texts: LimitTexts,
    private readonly evaluator: Evaluator,
  ) {
    for (const [option, text] of Object.entries(texts)) {
      const problem = isExpression(text)
        ? expressionProblem(text)
        : problemOf(option as LimitOption, text);
      if (problem !== null) throw new CliError(EXIT.usage, `${option} "${text}": ${problem}`);
    }
  }

  /** The limits for an action. Rejects where expressions cannot be evaluated now. */
  async of(item: WorkItem): Promise<Found> {
    const members = Object.entries(this.texts).map(([name, template]) => {
      return { name, template, as: 'json' as const };
    });
    const answer = await this.evaluator.answer({ members, scene: sceneOf(item) });
    if ('fault' in answer) return { fault: `${answer.fault.member}: ${answer.fault.reason}` };
    const { values } = answer;
    for (const [option, value] of Object.entries(values)) {
      const problem = problemOf(option as LimitOption, value);
      if (problem !== null) return { fault: `${option}: ${problem}` };
    }
    const valueOf = (option: LimitOption): number | null => {
      const value = values[option];
      return value === undefined ? null : READERS[option](value);
    };
    const [nice, memoryBytes] = [valueOf('--nice'), valueOf('--memory')];
    return { limits: { nice, memoryBytes, timeMs: valueOf('--time-limit') } };
  }
}

/** A program that begins within its limits. */
export function limitedProgram(
  { args, file }: Program,
  { memoryBytes, nice }: Pick<Limits, 'memoryBytes' | 'nice'>,
): Program {
  if (memoryBytes === null && nice === null) return { args, file };
  const most = memoryBytes === null ? '' : `ulimit -v ${Math.ceil(memoryBytes / 1_024)} && `;
  const turn = nice === null ? '' : `nice -n ${nice} `;
  return { file: '/bin/sh', args: ['-c', `${most}exec ${turn}"$@"`, 'sh', file, ...args] };
}

function problemOf(option: LimitOption, value: JsonValue): string | null {
  try {
    READERS[option](value);
    return null;
  } catch (error) {
    if (error instanceof WrongDuration || error instanceof WrongLimit) return error.message;
    throw error;
  }
}

class WrongLimit extends Error {
  override readonly name = 'WrongLimit';
}

const NICE_MAX = 19;

function niceness(value: JsonValue): number {
  const number = value === '' ? NaN : Number(value);
  if (Number.isInteger(number) && number >= 0 && number <= NICE_MAX) return number;
  throw new WrongLimit(`it is no whole number from 0 to ${NICE_MAX}`);
}

const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

/** Bytes, as Kubernetes writes quantities. */
function bytes(value: JsonValue): number {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?)([kKMGT]i?|)$/.exec(text) ?? [];
  const size = Number(number) * (UNITS[unit] ?? NaN);
  if (number !== '' && Number.isSafeInteger(Math.ceil(size)) && size > 0) return size;
  throw new WrongLimit('it is no size such as 512Mi or 2G');
}
