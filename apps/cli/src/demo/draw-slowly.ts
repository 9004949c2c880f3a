import { rest } from '../client/http.js';
import type { Sight } from '../client/follow-task.js';
import { drawTask, outcomeLine, type Pens } from '../drawing/draw-task.js';
import { eventLine } from '../drawing/event-line.js';
import { LiveDrawing } from '../drawing/live-drawing.js';
import { replayTask } from '../drawing/replay.js';
import { viewTask } from '../drawing/task-view.js';
import type { Session } from '../session.js';

/** How long each change is shown, in milliseconds. */
const CHANGE_MS = 110;

/** Draws what happened to a task change by change: it itself took milliseconds. */
export async function drawSlowly(session: Session, { events, task }: Sight): Promise<void> {
  const view = viewTask(task, events);
  const width = session.redraws ? session.width - 1 : session.width;
  const pens: Pens = { paint: session.paint, width };
  const last = [...drawTask(view, pens), '', outcomeLine(view, pens)];
  if (!session.redraws) {
    for (const event of events) session.print(eventLine(event, session.paint));
    for (const line of ['', ...last]) session.print(line);
    return;
  }
  const live = new LiveDrawing(session.terminal.stdout);
  for (const picture of replayTask(view, events)) {
    live.show(drawTask(picture, pens));
    await rest(CHANGE_MS, session.signal);
  }
  live.finish(last);
}
