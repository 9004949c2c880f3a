import { EXIT, type ExitCode } from '../exit.js';
import type { RowStyle, Session } from '../session.js';
import { type Call, textOption } from '../tree/call.js';

const COUNT_STYLE: RowStyle<readonly [value: string, count: number]> = {
  name: ([value]) => value,
  columns: [
    { title: 'VALUE', value: ([value]) => value },
    { title: 'TASKS', value: ([, count]) => `${count}`, align: 'right' },
  ],
};

/** `task count` */
export async function taskCount(session: Session, call: Call): Promise<ExitCode> {
  const query = { by: textOption(call, 'by'), q: textOption(call, 'query') };
  const found = await session.asking().ask('GET /v1/tasks:count', { query });
  if (session.options.output === 'json') session.printJson(found);
  else session.printRows(Object.entries(found.counts), COUNT_STYLE);
  const more = found.isComplete ? '' : ', and more that were not counted';
  session.say(`${found.total} tasks${more}`);
  return EXIT.done;
}
