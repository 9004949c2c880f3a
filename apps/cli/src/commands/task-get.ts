import { printWholeTask } from '../drawing/show-task.js';
import { EXIT, type ExitCode } from '../exit.js';
import type { Session } from '../session.js';
import type { Call } from '../tree/call.js';
import { taskId } from './task-id.js';

/** `task get` */
export async function taskGet(session: Session, call: Call): Promise<ExitCode> {
  const client = session.asking();
  const id = await taskId(client, call);
  const task = await client.getTask(id);
  // Only a drawing needs them, for times more exact than seconds.
  const events = session.options.output === 'table' ? await client.events(id) : [];
  printWholeTask(session, { task, events });
  return EXIT.done;
}
