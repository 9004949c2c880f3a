import { followTask } from '../client/follow-task.js';
import type { TaskEvent } from '../client/types.js';
import { eventLine } from '../drawing/event-line.js';
import { stackLines } from '../drawing/stack-lines.js';
import { outageTeller } from '../drawing/show-task.js';
import { EXIT, type ExitCode } from '../exit.js';
import type { Session } from '../session.js';
import type { Call } from '../tree/call.js';
import { taskId } from './task-id.js';

/** `task events` */
export async function taskEvents(session: Session, call: Call): Promise<ExitCode> {
  if (call.options['follow'] !== true) {
    const asking = session.asking();
    const events = await asking.events(await taskId(asking, call));
    if (session.options.output === 'json') session.printJson(events);
    else printEvents(session, events);
    return EXIT.done;
  }
  session.limit();
  const client = session.client();
  await followTask(client, await taskId(client, call), {
    onEvents: (events) => printEvents(session, events),
    onOutage: outageTeller(session),
  });
  return EXIT.done;
}

/** While events still come, JSON is one object after the other. */
function printEvents(session: Session, events: readonly TaskEvent[]): void {
  for (const event of events) {
    switch (session.options.output) {
      case 'json':
      case 'jsonl':
        session.printJson(event);
        break;
      case 'name':
        session.print(event.kind);
        break;
      case 'table':
        session.print(eventLine(event, session.paint));
        for (const line of stackLines(event.stack ?? '', session.paint)) session.print(line);
        break;
    }
  }
}
