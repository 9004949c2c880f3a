import { plainLine } from '#wording';
import type { TaskReport } from '../client/types.js';
import { timeText } from '../commands/task-columns.js';
import { clipText } from '../terminal/text-width.js';

/** Most columns of a fact, where a line may have any number of them. */
const WIDTH_MAX = 400;
const NAME_WIDTH = 12;

/** All facts of a task besides its steps, a line each. A fact without a value has no line. */
export function taskFacts(task: TaskReport, width: number): string[] {
  const { flowVersion, input, labels, origin, timeCreate, timeEnd, timeStart } = task;
  const facts: readonly (readonly [name: string, value: string])[] = [
    ['version', `${flowVersion}`],
    ['created', timeText(timeCreate)],
    ['started', timeStart === null ? '' : timeText(timeStart)],
    ['ended', timeEnd === null ? '' : timeText(timeEnd)],
    ['origin', pairs(origin ?? {})],
    ['labels', pairs(labels)],
    ['parameters', pairs(input)],
  ];
  return facts.flatMap(([name, value]) => {
    const line = `  ${name.padEnd(NAME_WIDTH)}${plainLine(value)}`;
    return value === '' ? [] : [clipText(line, Math.min(width, WIDTH_MAX))];
  });
}

/** As they are written on a command line. The server has masked what is secret. */
function pairs(object: Readonly<Record<string, unknown>>): string {
  return Object.entries(object)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');
}
