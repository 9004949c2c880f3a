import type { FlowReport } from '../client/types.js';
import { EXIT, type ExitCode } from '../exit.js';
import type { RowStyle, Session } from '../session.js';
import { tableLines } from '../terminal/table.js';
import { type Call, textArg, textOption } from '../tree/call.js';
import { timeText } from './task-columns.js';

const STYLE: RowStyle<FlowReport> = {
  name: ({ name }) => name,
  columns: [
    { title: 'FLOW', value: ({ name }) => name },
    { title: 'VERSION', value: ({ version }) => `${version}`, align: 'right' },
    { title: 'STEPS', value: ({ steps }) => `${steps.length}`, align: 'right' },
    { title: 'STARTABLE', value: ({ startable }) => (startable === false ? 'no' : 'yes') },
    { title: 'SINCE', value: ({ timeCreate }) => timeText(timeCreate) },
    { title: 'DESCRIPTION', value: ({ description }) => description ?? '' },
  ],
};

/** `flow list` */
export async function flowList(session: Session): Promise<ExitCode> {
  session.printRows(await session.asking().listFlows(), STYLE);
  return EXIT.done;
}

/** `flow get` */
export async function flowGet(session: Session, call: Call): Promise<ExitCode> {
  const version = textOption(call, 'flowVersion');
  const flow = await session.asking().getFlow(textArg(call, 0), version);
  if (session.options.output === 'name') session.print(flow.name);
  else if (session.options.output !== 'table') session.printJson(flow);
  else for (const line of flowLines(flow, session.width)) session.print(line);
  return EXIT.done;
}

type FlowStep = FlowReport['steps'][number];

function flowLines({ description, name, steps, version }: FlowReport, width: number): string[] {
  const action = (half: FlowStep['normal'] | null): string => {
    return half === null ? '-' : `${half.module}.${half.command}`;
  };
  const rows = tableLines(
    steps,
    [
      { title: 'STEP', value: (step) => step.name },
      { title: 'COMMAND', value: (step) => action(step.normal) },
      { title: '↩ ROLLBACK', value: (step) => action(step.rollback) },
      { title: 'TIMEOUT', value: (step) => `${step.normal.timeout} s`, align: 'right' },
      { title: 'NEEDS', value: (step) => step.needs.join(', ') },
    ],
    width,
  );
  return [`${name} v${version}${description === null ? '' : `: ${description}`}`, '', ...rows];
}
