import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileText } from '#json';
import type { JsonObject, JsonValue } from '#core';
import { flowTexts, type JsonReading, readJson, validateFlowText } from '#flow-files';
import { plainLine } from '#wording';
import { firstTestFile } from '#workshop/flow-test';
import { importFlow, type Note, NotImportable, type Source } from '#workshop/import';
import type { StoredFlowReport } from '../client/types.js';
import { CliError, EXIT } from '../exit.js';
import type { Session } from '../session.js';
import { type Call, textArg, textOption } from '../tree/call.js';
import { printStored, putAll } from './flow-put.js';

/** Largest file that is opened at all, in bytes; what can be read is smaller. */
const FILE_MAX = 8 * 1024 * 1024;

type Document = Extract<JsonReading, { kind: 'read' }>['document'];

/** `flow import`: a definition of another system, as flows. */
export async function flowImport(session: Session, call: Call): Promise<void> {
  const file = textArg(call, 0);
  const { cwd } = session.terminal;
  const document = read(file, await textOf(file, cwd));
  const say = noteSaid(session, file, document);
  const placeOf = (note: Note | undefined): string => placeIn(document, note?.pointer ?? '');
  const { flow, notes } = convert(document.value, file, { call, say, placeOf });
  const text = `${JSON.stringify(flow, null, 2)}\n`;
  refuseFaulty(text, file);
  const out = textOption(call, 'out');
  const test = out === undefined ? null : await writeBoth(out, { flow, text }, session);
  const isPublished = call.options['publish'] === true;
  const stored = isPublished ? await putAll(session, [...flowTexts(text)]) : null;
  print(session, { flow, notes, stored, isWritten: out !== undefined });
  if (session.options.output !== 'json') notes.forEach(say);
  const count = notes.length === 1 ? '1 note' : `${notes.length} notes`;
  const names = Object.keys(flow).join(', ');
  const where = (out === undefined ? '' : ` to ${out}`) + (isPublished ? ' and published' : '');
  session.say(plainLine(`${names} imported${where}, ${count}`));
  if (test !== null) session.say(plainLine(test));
}

interface Telling {
  readonly call: Call;
  readonly say: (note: Note) => void;
  /** Line and column of what a note is about. */
  readonly placeOf: (note: Note | undefined) => string;
}

interface Made {
  readonly flow: JsonObject;
  readonly notes: readonly Note[];
}

function convert(definition: JsonValue, file: string, { call, placeOf, say }: Telling): Made {
  const from = String(call.options['from']) as Source;
  const name = textOption(call, 'name') ?? path.basename(file).replace(/(\.asl)?\.jsonc?$/, '');
  try {
    return importFlow({ from, definition, name, module: textOption(call, 'module') });
  } catch (error) {
    if (!(error instanceof NotImportable)) throw error;
    error.notes.slice(0, -1).forEach(say);
    const sentence = `${file}:${placeOf(error.notes.at(-1))}: ${error.message}`;
    throw new CliError(EXIT.usage, plainLine(sentence), 'Nothing was imported.');
  }
}

async function textOf(file: string, cwd: string): Promise<string> {
  const place = path.resolve(cwd, file);
  try {
    const { size } = await stat(place);
    if (size <= FILE_MAX) return fileText(await readFile(place));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CliError(EXIT.usage, `${file} cannot be read: ${code}`);
  }
  throw new CliError(EXIT.usage, `${file} is larger than ${FILE_MAX / 1024 / 1024} MiB`);
}

function read(file: string, text: string): Document {
  const reading = readJson(text);
  if (reading.kind === 'unreadable') {
    const { code, column, line, message } = reading.problem;
    const sentence = code === 'NO_FLOW' ? 'There is nothing in this text.' : message;
    throw new CliError(EXIT.usage, plainLine(`${file}:${line}:${column}: ${sentence} (${code})`));
  }
  const { document } = reading;
  const [finding] = document.findings;
  if (finding === undefined) return document;
  const { column, line } = document.locate(finding.pointer, finding.at ?? 'value');
  const sentence = `${file}:${line}:${column}: ${finding.message} (${finding.code})`;
  throw new CliError(EXIT.usage, plainLine(sentence));
}

/** Checks the result like every flow file, before anybody sees it; throws where it has a fault. */
function refuseFaulty(text: string, file: string): void {
  const [problem] = validateFlowText(text).problems;
  if (problem === undefined) return;
  const { code, message, pointer } = problem;
  const sentence = `${file} cannot be imported: the flow would be refused at ${pointer}: ${message}`;
  throw new CliError(EXIT.usage, plainLine(`${sentence} (${code})`));
}

/** Writes the flow, and the test file beside it; a sentence on the latter. */
async function writeBoth(
  out: string,
  { flow, text }: { readonly flow: JsonObject; readonly text: string },
  { terminal: { cwd, env } }: Session,
): Promise<string> {
  const test = `${out.replace(/\.jsonc?$/, '')}.test.json`;
  await refuseWritten(out, cwd);
  await refuseWritten(test, cwd);
  await write(out, text, cwd);
  const { content, failing, leaving } = await firstTestFile(flow, text, env);
  await write(test, `${JSON.stringify(content, null, 2)}\n`, cwd);
  return testSentence(test, leaving.length, failing);
}

function testSentence(file: string, leaving: number, [failing]: readonly string[]): string {
  const sentence = `${file} has sample parameters`;
  if (failing !== undefined) return `${sentence}, with which ${failing}`;
  if (leaving === 0) return sentence;
  const steps =
    leaving === 1 ? '1 step whose failure leaves' : `${leaving} steps whose failures leave`;
  return `${sentence}, and ${steps} something behind`;
}

async function refuseWritten(file: string, cwd: string): Promise<void> {
  const isThere = await stat(path.resolve(cwd, file)).catch(() => null);
  if (isThere !== null) throw isThereAlready(file);
}

function isThereAlready(file: string): CliError {
  return new CliError(EXIT.usage, `${file} is there already`, 'Give another name, or remove it.');
}

async function write(out: string, text: string, cwd: string): Promise<void> {
  try {
    await writeFile(path.resolve(cwd, out), text, { flag: 'wx' });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw isThereAlready(out);
    throw new CliError(EXIT.usage, `${out} cannot be written: ${code}`);
  }
}

interface Shown extends Made {
  readonly isWritten: boolean;
  /** Null: they are not to be published. */
  readonly stored: readonly StoredFlowReport[] | null;
}

function print(session: Session, { flow, isWritten, notes, stored }: Shown): void {
  switch (session.options.output) {
    case 'json':
      session.printJson(stored === null ? { flow, notes } : { flow, notes, stored });
      break;
    case 'jsonl':
      notes.forEach((note) => session.printJson(note));
      break;
    case 'name':
      Object.keys(flow).forEach((name) => session.print(name));
      break;
    case 'table':
      if (stored !== null) printStored(session, stored);
      else if (!isWritten) session.print(JSON.stringify(flow, null, 2));
      break;
  }
}

function placeIn(document: Document, pointer: string): string {
  const { column, line } = document.locate(pointer, 'name');
  return `${line}:${column}`;
}

function noteSaid(session: Session, file: string, document: Document): (note: Note) => void {
  return ({ code, message, pointer }) => {
    const { sayPaint: paint } = session;
    const where = paint.bold(`${file}:${placeIn(document, pointer)}`);
    session.say(`${where} ${paint.yellow(code)} ${plainLine(message)}`);
  };
}
