import type { CauseReport } from '../client/types.js';
import { sayRemedies } from '../drawing/remedies.js';
import { lastStack } from '../drawing/stack-lines.js';
import { EXIT, type ExitCode } from '../exit.js';
import type { RowStyle, Session } from '../session.js';
import type { Call } from '../tree/call.js';
import { taskId } from './task-id.js';

const CAUSE_STYLE: RowStyle<CauseReport> = {
  name: ({ code }) => code,
  columns: [
    { title: 'CODE', value: ({ code }) => code },
    { title: 'SINCE', value: ({ since }) => since ?? '-' },
    { title: 'NEXT', value: ({ next }) => next.map(({ action }) => action).join(', ') },
    { title: 'WHY', value: ({ message }) => message },
  ],
};

/** `task why`: what keeps a task from moving, what to do about it, and how long is left. */
export async function taskWhy(session: Session, call: Call): Promise<ExitCode> {
  const client = session.asking();
  const id = await taskId(client, call);
  const explained = await client.ask('GET /v1/tasks/{taskId}/why', { path: { taskId: id } });
  if (session.options.output === 'json') session.printJson(explained);
  else session.printRows(explained.causes, CAUSE_STYLE);
  session.say(explained.moving ? 'It is moving.' : 'It is not moving.');
  if (explained.estimate) session.say(explained.estimate.message);
  if (session.options.output === 'table') {
    sayRemedies(session, id, explained.causes);
    for (const line of lastStack(await client.events(id).catch(() => []), session.paint))
      session.say(line);
  }
  return EXIT.done;
}
