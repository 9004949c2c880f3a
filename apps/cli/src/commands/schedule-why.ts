import type { PastMomentsReport } from '../client/types.js';
import { EXIT, type ExitCode } from '../exit.js';
import type { RowStyle, Session } from '../session.js';
import { type Call, textArg } from '../tree/call.js';

const STYLE: RowStyle<PastMomentsReport> = {
  name: ({ result }) => result,
  columns: [
    { title: 'FROM', value: ({ from }) => from },
    { title: 'TO', value: ({ to }) => to },
    { title: 'MOMENTS', value: ({ count }) => `${count}`, align: 'right' },
    { title: 'RESULT', value: ({ result }) => result },
    { title: 'WHY', value: ({ message, taskId }) => `${message}${taskId ? ` ${taskId}` : ''}` },
  ],
};

/** `schedule why`: how its latest moments fared, how it stands, and what to do about it. */
export async function scheduleWhy(session: Session, call: Call): Promise<ExitCode> {
  const explained = await session
    .asking()
    .ask('GET /v1/schedules/{name}/why', { path: { name: textArg(call, 0) } });
  if (session.options.output === 'json') session.printJson(explained);
  else session.printRows(explained.past, STYLE);
  for (const { message, next } of explained.causes) {
    session.say(message);
    for (const { action, label } of next) session.say(`  ${action}: ${label}`);
  }
  return EXIT.done;
}
