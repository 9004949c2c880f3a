import type { DiffReport, MemberReport, VersionReport } from '../client/types.js';
import { EXIT, type ExitCode } from '../exit.js';
import type { RowStyle, Session } from '../session.js';
import { type Call, textArg } from '../tree/call.js';
import { timeText } from './task-columns.js';

const STYLE: RowStyle<VersionReport> = {
  name: ({ version }) => `${version}`,
  columns: [
    { title: 'VERSION', value: ({ version }) => `${version}`, align: 'right' },
    { title: 'SINCE', value: ({ timeCreate }) => timeText(timeCreate) },
    { title: 'HASH', value: ({ hash }) => hash.slice(0, 12) },
  ],
};

/** `flow versions` */
export async function flowVersions(session: Session, call: Call): Promise<ExitCode> {
  session.printRows(await session.asking().listVersions(textArg(call, 0)), STYLE);
  return EXIT.done;
}

/** `flow diff`; without a second version, with the newest. */
export async function flowDiff(session: Session, call: Call): Promise<ExitCode> {
  const [, , to] = call.args;
  const diff = await session.asking().ask('GET /v1/flows/{name}/versions/{version}:diff', {
    path: { name: textArg(call, 0), version: textArg(call, 1) },
    query: { to: typeof to === 'string' ? to : undefined },
  });
  const { output } = session.options;
  if (output === 'json' || output === 'jsonl') session.printJson(diff);
  else for (const line of diffLines(diff)) session.print(line);
  if (diffLines(diff).length === 0) session.say('The two versions say the same.');
  return EXIT.done;
}

/** As `diff` writes them: what goes, what comes, what is another. */
function diffLines({ added, changed, members, removed }: DiffReport): readonly string[] {
  return [
    ...members.map((member) => `~ ${memberText(member)}`),
    ...removed.map(({ step }) => `- ${step}`),
    ...added.map(({ step }) => `+ ${step}`),
    ...changed.flatMap(({ members: inner, pointer, step }) => {
      return inner.map((member) => `~ ${step}: ${memberText(within(member, pointer))}`);
    }),
  ];
}

/** The pointer from the step on, which is named already. */
function within(member: MemberReport, pointer: string): MemberReport {
  const isInside = member.pointer.startsWith(`${pointer}/`);
  return isInside ? { ...member, pointer: member.pointer.slice(pointer.length) } : member;
}

function memberText({ from, pointer, to }: MemberReport): string {
  const text = (value: unknown): string =>
    value === undefined ? 'nothing' : JSON.stringify(value);
  return `${pointer.slice(1)} ${text(from)} -> ${text(to)}`;
}
