import { printTask } from '../drawing/show-task.js';
import { EXIT, type ExitCode } from '../exit.js';
import type { Session } from '../session.js';
import { type Call, textArg } from '../tree/call.js';

/** `task get` */
export async function taskGet(session: Session, call: Call): Promise<ExitCode> {
  const client = session.asking();
  const taskId = textArg(call, 0);
  const task = await client.getTask(taskId);
  // Only a drawing needs them, for times more exact than seconds.
  const events = session.options.output === 'table' ? await client.events(taskId) : [];
  printTask(session, { task, events });
  return EXIT.done;
}
