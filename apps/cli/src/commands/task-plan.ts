import type { PlanReport, PlannedUndoReport } from '../client/types.js';
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

/** Where child tasks are undone as well. */
const FAMILY_STYLE: RowStyle<PlannedUndoReport> = {
  ...UNDO_STYLE,
  columns: [...UNDO_STYLE.columns, { title: 'TASK', value: ({ taskId }) => taskId }],
};

function obstacleLine({ items, obstacle, to }: PlanReport): string {
  if (to === null && items.length > 0) return `It would stop then: ${obstacle}.`;
  if (to === null) return `It would not go back: ${obstacle}.`;
  return `It would not go back all the way: ${obstacle}. With --to ${to} it goes back so far.`;
}

/** `task plan`: what a rollback would undo, in that order, and how long that takes. */
export async function taskPlan(session: Session, call: Call): Promise<void> {
  const client = session.asking();
  const ofTask = await taskId(client, call);
  const plan = await client.ask('GET /v1/tasks/{taskId}/rollback-plan', {
    path: { taskId: ofTask },
  });
  const isOther = ({ taskId: owner }: Pick<PlannedUndoReport, 'taskId'>): boolean => {
    return typeof owner === 'string' && owner !== ofTask;
  };
  if (session.options.output === 'json') session.printJson(plan);
  else session.printRows(plan.items, plan.items.some(isOther) ? FAMILY_STYLE : UNDO_STYLE);
  for (const line of notesOn(plan)) session.say(line);
  if (plan.estimate) session.say(plan.estimate.message);
  if (plan.obstacle !== null) session.say(obstacleLine(plan));
  const names = plan.leftOver.map((left) => {
    return isOther(left) ? `${left.id} of task ${left.taskId}` : left.id;
  });
  const left = names.join(', ');
  if (left !== '') session.say(`Without a rollback, so what they did stays: ${left}.`);
}

/** Lines that complete the table: the plan is cut, or an expression has no value. */
function notesOn({ isCut, items }: PlanReport): readonly string[] {
  const open = items.filter(({ unresolved }) => typeof unresolved === 'string');
  const lines = open.map(
    ({ id, unresolved }) => `${id}: an expression has no value: ${unresolved}.`,
  );
  return isCut ? [...lines, 'There is more to undo than is listed.'] : lines;
}
