import { plainLine } from '#wording';
import { guard } from '../client/http.js';
import type { LimitReport } from '../client/types.js';
import { CliError, EXIT } from '../exit.js';
import type { RowStyle, Session } from '../session.js';
import { type Call, textArg, textOption, textOptions } from '../tree/call.js';
import { itemsOf } from './pages.js';
import { readNumber, readRate } from './parameters.js';

const STYLE: RowStyle<LimitReport> = {
  name: ({ module }) => module,
  columns: [
    { title: 'MODULE', value: ({ module }) => module },
    { title: 'RUNNING', value: runningText, align: 'right' },
    { title: 'WAITING', value: ({ waiting }) => `${waiting}`, align: 'right' },
    { title: 'RATE', value: ({ ratePerSecond }) => rateText(ratePerSecond), align: 'right' },
    { title: 'FAIR BY', value: ({ fairBy }) => fairBy ?? '-' },
    { title: 'GENERATION', value: ({ generation }) => `${generation}`, align: 'right' },
    { title: 'CHANGED', value: ({ updatedAt, updatedBy }) => `${updatedAt} by ${updatedBy}` },
  ],
};

/** `limit list` */
export async function limitList(session: Session): Promise<void> {
  const client = session.asking();
  session.printRows(await itemsOf((query) => client.ask('GET /v1/limits', { query })), STYLE);
}

/** `limit set` */
export async function limitSet(session: Session, call: Call): Promise<void> {
  const maxConcurrency = readNumber(textOption(call, 'maxConcurrency'), '--max-concurrency');
  const ratePerSecond = readRate(textOption(call, 'rate'));
  if (maxConcurrency === undefined && ratePerSecond === undefined) {
    throw new CliError(EXIT.usage, 'say what is limited: --max-concurrency, --rate or both');
  }
  const body = {
    ...(maxConcurrency !== undefined && { maxConcurrency }),
    ...(ratePerSecond !== undefined && { ratePerSecond }),
    ...textOptions(call, ['fairBy']),
  };
  const headers = guard(textOption(call, 'ifMatch'));
  const asked = { ...pathOf(call), body, headers };
  const stored = await session.asking().ask('PUT /v1/limits/{module}', asked);
  if (session.options.output === 'json') session.printJson(stored);
  else session.printRows([stored], STYLE);
}

/** `limit remove` */
export async function limitRemove(session: Session, call: Call): Promise<void> {
  const headers = guard(textOption(call, 'ifMatch'));
  await session.asking().ask('DELETE /v1/limits/{module}', { ...pathOf(call), headers });
  const module = textArg(call, 0);
  session.say(plainLine(`${module} has no limits now. What waits starts within half a minute.`));
}

function pathOf(call: Call) {
  return { path: { module: textArg(call, 0) } };
}

function runningText({ maxConcurrency, running }: LimitReport): string {
  return maxConcurrency === null ? '-' : `${running ?? 0}/${maxConcurrency}`;
}

function rateText(ratePerSecond: number | null): string {
  return ratePerSecond === null ? '-' : `${ratePerSecond}/s`;
}
