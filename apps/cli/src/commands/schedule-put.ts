import { guard } from '../client/http.js';
import type { ScheduleOrderReport } from '../client/types.js';
import { CliError, EXIT, type ExitCode } from '../exit.js';
import type { Session } from '../session.js';
import { type Call, listOption, restArgs, textArg, textOption } from '../tree/call.js';
import { readNumber, readPairs, readParameters } from './parameters.js';
import { printSchedule } from './schedules.js';

/** `schedule put` */
export async function schedulePut(session: Session, call: Call): Promise<ExitCode> {
  const order = await readOrder(session, call);
  const stored = await session.asking().ask('PUT /v1/schedules/{name}', {
    path: { name: textArg(call, 0) },
    body: order,
    headers: guard(textOption(call, 'ifMatch')),
  });
  printSchedule(session, stored);
  return EXIT.done;
}

/** The order from the file, with the options laid over it. */
async function readOrder(session: Session, call: Call): Promise<ScheduleOrderReport> {
  const file = textOption(call, 'file');
  const base = await readParameters({ input: file, pairs: [] }, session.terminal);
  const written = { input: textOption(call, 'input'), pairs: restArgs(call) };
  const parameters = await readParameters(written, session.terminal);
  const labels = listOption(call, 'label');
  const priority = readNumber(textOption(call, 'priority'), '--priority');
  const order = {
    ...base,
    ...textsOf(call),
    ...(parameters !== undefined && { parameters }),
    ...(labels.length > 0 && { labels: readPairs(labels, 'a label') }),
    ...(priority !== undefined && { priority }),
    ...(call.options['paused'] === true && { paused: true }),
  } as Partial<ScheduleOrderReport>;
  const { flow } = order;
  if (flow !== undefined) return { ...order, flow };
  throw new CliError(EXIT.usage, 'say what it starts', 'Write --flow, or name a --file.');
}

const TEXTS = ['flow', 'cron', 'every', 'at', 'timezone', 'overlap', 'catchUp'] as const;

function textsOf(call: Call): Readonly<Record<string, string>> {
  const given = TEXTS.flatMap((name): [string, string][] => {
    const text = textOption(call, name);
    return text === undefined ? [] : [[name, text]];
  });
  return Object.fromEntries(given);
}
