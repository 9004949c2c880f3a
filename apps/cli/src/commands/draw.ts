import { dotOf, graphOf, type GraphStep, mermaidOf, svgOf } from '#workshop/drawing';
import { CliError, EXIT, type ExitCode } from '../exit.js';
import type { Session } from '../session.js';
import { type Call, textArg, textOption } from '../tree/call.js';
import { taskId } from './task-id.js';

const WRITERS: Readonly<Record<string, (steps: readonly GraphStep[]) => string>> = {
  mermaid: mermaidOf,
  dot: dotOf,
  svg: svgOf,
};

/** `flow draw` */
export async function flowDraw(session: Session, call: Call): Promise<ExitCode> {
  const write = writerOf(call);
  const version = textOption(call, 'flowVersion');
  const { steps } = await session.asking().getFlow(textArg(call, 0), version);
  session.print(write(graphOf(steps)));
  return EXIT.done;
}

/** `task draw`: the steps that were reached, each with its state. */
export async function taskDraw(session: Session, call: Call): Promise<ExitCode> {
  const write = writerOf(call);
  const client = session.asking();
  const { steps } = await client.getTask(await taskId(client, call));
  session.print(write(graphOf(steps)));
  return EXIT.done;
}

function writerOf({ options }: Call): (steps: readonly GraphStep[]) => string {
  const format = String(options['output']);
  const write = WRITERS[format === 'table' ? 'mermaid' : format];
  if (write !== undefined) return write;
  throw new CliError(EXIT.usage, `a drawing is written as mermaid, dot or svg, not as ${format}`);
}
