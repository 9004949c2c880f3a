import { plainLine } from '#wording';
import type { ExecutorReport } from '../client/types.js';
import type { RowStyle, Session } from '../session.js';
import { type Call, textArg } from '../tree/call.js';

const EXECUTOR_STYLE: RowStyle<ExecutorReport> = {
  name: ({ instance, module }) => `${module} ${instance}`,
  columns: [
    { title: 'MODULE', value: ({ module }) => module },
    { title: 'INSTANCE', value: ({ instance }) => instance },
    { title: 'HOST', value: ({ host }) => host },
    { title: 'VERSION', value: ({ version }) => version },
    { title: 'BUILD', value: ({ build }) => build ?? '-' },
    { title: 'COMMANDS', value: ({ commands }) => commands.map(({ name }) => name).join(', ') },
    { title: 'BUSY', value: ({ busy, slots }) => `${busy}/${slots}` },
    { title: 'STATE', value: ({ worker }) => (worker?.draining === true ? 'draining' : '-') },
    { title: 'LAST SEEN', value: ({ lastSeen }) => lastSeen },
    { title: 'SILENT SINCE', value: ({ silentSince }) => silentSince ?? '-' },
  ],
};

const SAID = {
  active: 'gets actions again.',
  draining: 'gets no further actions. It finishes those that it has.',
} as const;

/** `executor list` */
export async function executorList(session: Session): Promise<void> {
  const { items, unserved, unservedCommands = [] } = await session.asking().listExecutors();
  session.printRows(items, EXECUTOR_STYLE);
  const missing = [
    ...unserved.map(({ flows, module }) => ({ flows, what: module, how: 'serves' })),
    ...unservedCommands.map(({ command, flows, module }) => {
      return { flows, what: `${module}.${command}`, how: `of ${module} has` };
    }),
  ];
  for (const { flows, how, what } of missing) {
    const line = plainLine(`${what}: no executor ${how} it; ${needOf(flows)}`);
    // The other formats have executors alone, for programs.
    if (session.options.output === 'table') session.print(line);
    else session.say(line);
  }
}

/** Flows that are named; the others are counted. */
const NAMED_MAX = 5;

function needOf(flows: readonly string[]): string {
  const rest = flows.length - NAMED_MAX;
  const named = flows.slice(0, NAMED_MAX).map(plainLine).join(', ');
  return `needed by ${named}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** `executor drain` */
export async function executorDrain(session: Session, call: Call): Promise<void> {
  const worker = textArg(call, 0);
  const state = call.options['off'] === true ? 'active' : 'draining';
  await session.asking().ask('PUT /v1/workers/{worker}', { path: { worker }, body: { state } });
  session.say(plainLine(`${worker} ${SAID[state]}`));
}
