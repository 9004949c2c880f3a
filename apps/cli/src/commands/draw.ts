import { flatGraph, flowGraph, type GraphStep, taskGraph } from '#kinds';
import { type DrawnStep, dotOf, drawnSteps, mermaidOf, svgOf } from '#workshop/drawing';
import { CliError, EXIT } from '../exit.js';
import type { Session } from '../session.js';
import { type Call, textArg, textOption } from '../tree/call.js';
import { taskId } from './task-id.js';

const DRAWERS: Readonly<Record<string, (steps: readonly DrawnStep[]) => string>> = {
  mermaid: mermaidOf,
  dot: dotOf,
  svg: svgOf,
};

/** `flow draw` */
export async function flowDraw(session: Session, call: Call): Promise<void> {
  const write = writerOf(call);
  const version = textOption(call, 'flowVersion');
  const { steps } = await session.asking().getFlow(textArg(call, 0), version);
  session.print(write(flowGraph(steps)));
}

/** `task draw`: the steps that were reached, each with its state. */
export async function taskDraw(session: Session, call: Call): Promise<void> {
  const write = writerOf(call);
  const client = session.asking();
  const { steps } = await client.getTask(await taskId(client, call));
  session.print(write(taskGraph(steps)));
}

function writerOf({ options }: Call): (steps: readonly GraphStep[]) => string {
  const format = String(options['output']);
  if (format === 'json') return (steps) => JSON.stringify(flatGraph(steps), null, 2);
  const draw = DRAWERS[format === 'table' ? 'mermaid' : format];
  if (draw !== undefined) return (steps) => draw(drawnSteps(steps));
  const known = 'mermaid, dot, svg or json';
  throw new CliError(EXIT.usage, `a drawing is written as ${known}, not as ${format}`);
}
