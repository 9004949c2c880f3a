import { guard } from '../client/http.js';
import { EXIT, type ExitCode } from '../exit.js';
import type { Session } from '../session.js';
import { type Call, textOption } from '../tree/call.js';
import { sayWaiting } from './task-actions.js';
import { taskId } from './task-id.js';

/** `task delete` */
export async function taskDelete(session: Session, call: Call): Promise<ExitCode> {
  const id = await taskId(session.client(), call);
  const reason = textOption(call, 'reason')?.replaceAll(/\s+/g, ' ').trim();
  const headers = {
    ...guard(textOption(call, 'ifMatch')),
    // A header is one line of bytes: those of its UTF-8.
    ...(reason && { 'x-backstep-reason': Buffer.from(reason).toString('latin1') }),
  };
  const path = { taskId: id };
  const waiting = await session.asking().ask('DELETE /v1/tasks/{taskId}', { path, headers });
  if (waiting) return sayWaiting(session, waiting);
  session.say(`${id} is gone.`);
  return EXIT.done;
}
