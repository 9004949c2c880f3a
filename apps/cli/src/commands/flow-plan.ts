import type { PlannedStepReport } from '../client/types.js';
import { EXIT, type ExitCode } from '../exit.js';
import type { RowStyle, Session } from '../session.js';
import { type Call, restArgs, textArg, textOption } from '../tree/call.js';
import { readParameters } from './parameters.js';

/** A row of a plan: a step of the task, or of one of its child tasks. */
type Row = PlannedStepReport & { readonly depth: number };

const STYLE: RowStyle<Row> = {
  name: ({ id }) => id,
  columns: [
    { title: 'STEP', value: ({ depth, id }) => `${'› '.repeat(depth)}${id}` },
    { title: 'DOES', value: deedOf },
    { title: 'UNDONE IF IT FAILS', value: ({ back }) => back.join(', ') },
  ],
};

function deedOf({ children, command, kind, module }: Row): string {
  if (module) return `${module}.${command}`;
  if (!children) return kind;
  const { count, flow } = children;
  const tasks =
    count === null ? 'child tasks' : count === 1 ? '1 child task' : `${count} child tasks`;
  return flow === null ? tasks : `${tasks} of ${flow}`;
}

/** The steps of child tasks stand below the step that has them. */
function rowsOf(items: readonly PlannedStepReport[], depth = 0): readonly Row[] {
  return items.flatMap((item) => {
    return [{ ...item, depth }, ...rowsOf(item.children?.items ?? [], depth + 1)];
  });
}

/** `flow plan`: what a task would run, in that order, and the way back at each point. */
export async function flowPlan(session: Session, call: Call): Promise<ExitCode> {
  const written = { input: textOption(call, 'input'), pairs: restArgs(call) };
  const parameters = await readParameters(written, session.terminal);
  const plan = await session.asking().ask('POST /v1/flows/{name}:plan', {
    path: { name: textArg(call, 0) },
    body: { parameters: parameters ?? {} },
  });
  if (session.options.output === 'json') {
    session.printJson(plan);
    return EXIT.done;
  }
  session.printRows(rowsOf(plan.items), STYLE);
  for (const { member, step, taken, template } of plan.assumptions) {
    const words = `${JSON.stringify(template)} is not known yet, taken as ${JSON.stringify(taken)}`;
    session.say(`${step}, ${member}: ${words}.`);
  }
  if (plan.ends === 'fails') session.say('It would fail by itself then, and go back.');
  return EXIT.done;
}
