import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileText } from '#json';
import { flowTexts, parseFlowFile } from '#flow-files';
import { plainLine } from '#wording';
import { guard } from '../client/http.js';
import type { StoredFlowReport } from '../client/types.js';
import { CliError, EXIT } from '../exit.js';
import type { Session } from '../session.js';
import { type Call, textArg, textOption } from '../tree/call.js';

/** Stores flows one after the other. The first that is refused ends it. */
export async function putAll(
  session: Session,
  flows: readonly NamedFlow[],
  revision?: string,
): Promise<readonly StoredFlowReport[]> {
  const client = session.asking();
  const stored: StoredFlowReport[] = [];
  for (const [name, text] of flows) {
    // The gateway checks it, and says where a mistake is.
    const asked = { path: { name }, text, headers: guard(revision) };
    stored.push(await client.ask('PUT /v1/flows/{name}', asked));
  }
  return stored;
}

/** `flow put`: every flow of a file, or the one that is named. */
export async function flowPut(session: Session, call: Call): Promise<void> {
  const file = textArg(call, 0);
  const flows = chosen(await readFlows(file, session.terminal.cwd), file, textOption(call, 'name'));
  const revision = textOption(call, 'ifMatch');
  if (revision !== undefined && flows.length > 1) {
    throw new CliError(EXIT.usage, '--if-match is about one flow', 'Name it with --name.');
  }
  printStored(session, await putAll(session, flows, revision));
}

/** `flow delete` */
export async function flowDelete(session: Session, call: Call): Promise<void> {
  const name = textArg(call, 0);
  const headers = guard(textOption(call, 'ifMatch'));
  await session.asking().ask('DELETE /v1/flows/{name}', { path: { name }, headers });
  session.say(`${name} is retired: it takes no new tasks. Its versions stay readable.`);
}

/** The text of a flow. */
type NamedFlow = readonly [name: string, text: string];

async function readFlows(file: string, cwd: string): Promise<readonly NamedFlow[]> {
  let text: string;
  try {
    text = fileText(await readFile(path.resolve(cwd, file)));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CliError(EXIT.usage, `${file} cannot be read: ${code}`);
  }
  const [problem] = parseFlowFile(text).problems;
  if (problem !== undefined) {
    const { column, hint, line, message } = problem;
    const sentence = plainLine(`${file}:${line}:${column}: ${message} (${problem.code})`);
    throw new CliError(EXIT.usage, sentence, plainLine(hint));
  }
  return [...flowTexts(text)];
}

function chosen(
  flows: readonly NamedFlow[],
  file: string,
  name: string | undefined,
): readonly NamedFlow[] {
  if (name === undefined) return flows;
  const found = flows.find(([each]) => each === name);
  if (found !== undefined) return [found];
  const names = flows.map(([each]) => each).join(', ');
  throw new CliError(EXIT.usage, `${file} has no flow ${name}`, `It has ${names}.`);
}

/** Prints what was stored, and what the gateway warns of. */
export function printStored(session: Session, stored: readonly StoredFlowReport[]): void {
  session.printRows(stored, {
    name: ({ name }) => name,
    columns: [
      { title: 'FLOW', value: ({ name }) => name },
      { title: 'VERSION', value: ({ version }) => `${version}`, align: 'right' },
      { title: 'REVIVED', value: ({ revived }) => (revived ? 'yes' : 'no') },
    ],
  });
  for (const { name, warnings } of stored) {
    for (const { code, message } of warnings)
      session.say(plainLine(`${name}: ${message} (${code})`));
  }
}
