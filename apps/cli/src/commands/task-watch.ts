import { showTask } from '../drawing/show-task.js';
import type { ExitCode } from '../exit.js';
import type { Session } from '../session.js';
import type { Call } from '../tree/call.js';
import { taskId } from './task-id.js';

/** `task watch` */
export async function taskWatch(session: Session, call: Call): Promise<ExitCode> {
  session.limit();
  const client = session.client();
  return showTask(session, client, await taskId(client, call));
}
