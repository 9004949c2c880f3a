import { showTask } from '../drawing/show-task.js';
import type { ExitCode } from '../exit.js';
import type { Session } from '../session.js';
import { type Call, textArg } from '../tree/call.js';

/** `task watch` */
export async function taskWatch(session: Session, call: Call): Promise<ExitCode> {
  session.limit();
  return showTask(session, session.client(), textArg(call, 0));
}
