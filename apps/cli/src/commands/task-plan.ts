import type { PlannedUndoReport, PlanReport } from '../client/types.js';
import { EXIT, type ExitCode } from '../exit.js';
import type { RowStyle, Session } from '../session.js';
import type { Call } from '../tree/call.js';
import { taskId } from './task-id.js';

const UNDO_STYLE: RowStyle<PlannedUndoReport> = {
  name: ({ id }) => id,
  columns: [
    { title: 'STEP', value: ({ id }) => id },
    { title: 'UNDO', value: ({ command, module }) => `${module}.${command}` },
    { title: 'SERVED', value: ({ served }) => (served ? 'yes' : 'no') },
  ],
};

function obstacleLine({ obstacle, to }: PlanReport): string {
  if (to === null) return `It would not go back: ${obstacle}.`;
  return `It would not go back all the way: ${obstacle}. With --to ${to} it goes back so far.`;
}

/** `task plan`: what a rollback would undo, in that order, and how long that takes. */
export async function taskPlan(session: Session, call: Call): Promise<ExitCode> {
  const client = session.asking();
  const plan = await client.planRollback(await taskId(client, call));
  if (session.options.output === 'json') session.printJson(plan);
  else session.printRows(plan.items, UNDO_STYLE);
  if (plan.estimate) session.say(plan.estimate.message);
  if (plan.obstacle !== null) session.say(obstacleLine(plan));
  const left = plan.leftOver.map(({ id }) => id).join(', ');
  if (left !== '') session.say(`Without a rollback, so what they did stays: ${left}.`);
  return EXIT.done;
}
