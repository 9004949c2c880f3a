import type { FlowPlanReport } from '../client/definition-types.js';
import { EXIT, type ExitCode } from '../exit.js';
import type { RowStyle, Session } from '../session.js';
import { type Call, restArgs, textArg, textOption } from '../tree/call.js';
import { readParameters } from './parameters.js';

const STYLE: RowStyle<FlowPlanReport['items'][number]> = {
  name: ({ id }) => id,
  columns: [
    { title: 'STEP', value: ({ id }) => id },
    {
      title: 'DOES',
      value: ({ command, kind, module }) => (module ? `${module}.${command}` : kind),
    },
    { title: 'UNDONE IF IT FAILS', value: ({ back }) => back.join(', ') },
  ],
};

/** `flow plan`: what a task would run, in that order, and the way back at each point. */
export async function flowPlan(session: Session, call: Call): Promise<ExitCode> {
  const written = { input: textOption(call, 'input'), pairs: restArgs(call) };
  const parameters = await readParameters(written, session.terminal);
  const plan = await session.asking().planFlow(textArg(call, 0), parameters ?? {});
  if (session.options.output === 'json') {
    session.printJson(plan);
    return EXIT.done;
  }
  session.printRows(plan.items, STYLE);
  for (const { member, step, taken, template } of plan.assumptions) {
    const words = `${JSON.stringify(template)} is not known yet, taken as ${JSON.stringify(taken)}`;
    session.say(`${step}, ${member}: ${words}.`);
  }
  if (plan.ends === 'fails') session.say('It would fail by itself then, and go back.');
  return EXIT.done;
}
