import { existsSync } from 'node:fs';
import path from 'node:path';
import {
  findingType,
  type KnownCommands,
  type Problem,
  type ProblemCode,
  validateFlowText,
  type Validation,
} from '#flow-files';
import { plainLine } from '#wording';
import { socketIn } from '../client/backstep-url.js';
import { EXIT, type ExitCode } from '../exit.js';
import { PACKAGE } from '../init/package-source.js';
import type { Paint, Session } from '../session.js';
import { type Call, flowFiles } from '../tree/call.js';
import { commandsHere, executorFiles } from './own-executors.js';
import { readNamedFile } from './read-named-file.js';

/** A problem, the file it is in, and the path at a gateway that says more about its kind. */
type FileFinding = Problem & { readonly file: string; readonly type: string };

/** The problems and warnings of some files. */
interface Findings {
  readonly problems: readonly FileFinding[];
  readonly warnings: readonly FileFinding[];
}

/** The findings of a check without a gateway, and the text; null: the file cannot be read. */
interface CheckedFile extends Findings {
  readonly file: string;
  readonly text: string | null;
}

/** All findings, and what is known of the gateway. */
interface Answer {
  readonly found: readonly Findings[];
  readonly isAnswered: boolean;
  readonly unknown: string | null;
}

/** Says where the example of a code is, and the same mended; null: there is no such place. */
type PageOf = ((code: ProblemCode) => string) | null;

/** The page of all codes, which a clone has and an installed package has not. */
const PAGE = path.join(PACKAGE, 'docs/findings.md');

/** `flow validate`; with `--strict` warnings are problems. */
export async function flowValidate(session: Session, call: Call): Promise<ExitCode> {
  const files = flowFiles(call);
  const read = await Promise.all(files.map((file) => checkFile(session, file)));
  const answer = await askGateway(session, read);
  const { isAnswered, unknown } = answer;
  const known = unknown === null ? null : await commandsHere(session, call);
  const found =
    known === null ? answer.found : answer.found.map((one, i) => withHere(one, read[i], known));
  const pageOf = findingPages(session, isAnswered);
  const withPage = (finding: FileFinding): object => {
    return { ...finding, docs: pageOf?.(finding.code) ?? null };
  };
  const isStrict = call.options['strict'] === true;
  const all = { problems: found.flatMap(problemsOf), warnings: found.flatMap(warningsOf) };
  const { problems, warnings } = isStrict ? asProblems(all) : all;
  switch (session.options.output) {
    case 'json':
      session.printJson({
        valid: problems.length === 0,
        problems: problems.map(withPage),
        warnings: warnings.map(withPage),
      });
      break;
    case 'jsonl':
      problems.forEach((problem) => session.printJson(withPage(problem)));
      break;
    case 'name':
      new Set(problems.map(({ file }) => file)).forEach((file) => session.print(file));
      break;
    case 'table':
      problems.forEach((problem) => session.print(problemText(problem, session.paint)));
      break;
  }
  warnings.forEach((warning) => session.say(problemText(warning, session.sayPaint)));
  session.say(summary(files, { problems, warnings }));
  if (session.options.output === 'table') sayPages(session, [...problems, ...warnings], pageOf);
  if (unknown !== null) session.say(`${notChecked(session, call)}: ${unknown}`);
  return problems.length === 0 ? EXIT.done : EXIT.usage;
}

function notChecked(session: Session, call: Call): string {
  const hasOwn = executorFiles(session, call).length > 0;
  return hasOwn
    ? 'modules and commands beside those of --executors and of Backstep were not checked'
    : 'modules and commands were not checked';
}

function problemsOf({ problems }: Findings): readonly FileFinding[] {
  return problems;
}

function warningsOf({ warnings }: Findings): readonly FileFinding[] {
  return warnings;
}

function asProblems({ problems, warnings }: Findings): Findings {
  return { problems: [...problems, ...warnings], warnings: [] };
}

/** How long the gateway may take for all files, in milliseconds. */
const GATEWAY_MS = 10_000;

/**
 * The findings with what a gateway adds, which knows modules, commands and other flows. `unknown`
 * is why nobody was asked to the end; null: all was. No gateway answers where no file was read.
 */
async function askGateway(session: Session, files: readonly CheckedFile[]): Promise<Answer> {
  const found: Findings[] = [...files];
  let isAnswered = false;
  try {
    const client = session.brief(GATEWAY_MS);
    for (const [index, { file, text, ...own }] of files.entries()) {
      if (text === null) continue;
      session.progress(`checking ${file} (${index + 1} of ${files.length})`);
      const told = inFile(
        file,
        (await client.ask('POST /v1/flows:validate', { text })) as Validation,
      );
      isAnswered = true;
      found[index] = {
        problems: joined(own.problems, told.problems),
        warnings: joined(own.warnings, told.warnings),
      };
    }
    return { found, isAnswered, unknown: null };
  } catch (error) {
    session.signal.throwIfAborted();
    return { found, isAnswered, unknown: (error as Error).message };
  }
}

/** The findings with what the executors here add, where no gateway has answered to the end. */
function withHere(
  found: Findings,
  checked: CheckedFile | undefined,
  commands: KnownCommands,
): Findings {
  const { file = '', text = null } = checked ?? {};
  if (text === null) return found;
  const told = inFile(file, validateFlowText(text, { commands }));
  return {
    problems: joined(found.problems, told.problems),
    warnings: joined(found.warnings, told.warnings),
  };
}

/** Those of both, each once, in the order of the file. */
function joined(own: readonly FileFinding[], told: readonly FileFinding[]): readonly FileFinding[] {
  const known = new Set(own.map(keyOf));
  const more = told.filter((finding) => !known.has(keyOf(finding)));
  return [...own, ...more].toSorted((a, b) => a.line - b.line || a.column - b.column);
}

function keyOf({ code, pointer }: FileFinding): string {
  return `${code} ${pointer}`;
}

async function checkFile(session: Session, file: string): Promise<CheckedFile> {
  let text: string;
  try {
    text = await readNamedFile(session, file);
  } catch (error) {
    session.signal.throwIfAborted();
    const { code } = error as NodeJS.ErrnoException;
    const isFolder = code === 'EISDIR';
    const message = isFolder ? 'This is a folder.' : `The file cannot be read: ${code}.`;
    const hint = isFolder
      ? `Name its files: ${path.join(file, '*.json')}`
      : 'Compare the name with what is in the folder.';
    const place = { pointer: '', line: 1, column: 1 };
    const problem = { ...place, code: 'FILE_NOT_READABLE', message, hint } as const;
    return {
      file,
      text: null,
      ...inFile(file, { valid: false, problems: [problem], warnings: [] }),
    };
  }
  return { file, text, ...inFile(file, validateFlowText(text)) };
}

function inFile(file: string, { problems, warnings }: Validation): Findings {
  const here = (problem: Problem): FileFinding => {
    return { file, type: findingType(problem.code), ...problem };
  };
  return { problems: problems.map(here), warnings: warnings.map(here) };
}

function problemText(problem: FileFinding, paint: Paint): string {
  const { code, column, file, hint, line, message } = problem;
  const where = paint.bold(`${file}:${line}:${column}`);
  return `${where} ${paint.red(code)} ${plainLine(`${message} ${hint}`)}`;
}

function summary(files: readonly string[], { problems, warnings }: Findings): string {
  const bad = new Set(problems.map(({ file }) => file)).size;
  const count = files.length === 1 ? '1 file' : `${files.length} files`;
  if (bad === 0) return `${count} checked, nothing wrong${warned(warnings.length)}`;
  return `${count} checked, ${bad} with ${problems.length === 1 ? 'a problem' : 'problems'}`;
}

function warned(count: number): string {
  if (count === 0) return '';
  return count === 1 ? ', 1 warning' : `, ${count} warnings`;
}

/** The places of the codes: at the gateway that answered, else in the clone that runs. */
export function findingPages(session: Session, isAnswered: boolean, page = PAGE): PageOf {
  const { options, terminal } = session;
  if (isAnswered && socketIn(options.url) === null)
    return (code) => `${options.url.replace(/\/$/, '')}${findingType(code)}`;
  if (!existsSync(page)) return null;
  const near = path.relative(terminal.cwd, page);
  const file = near.startsWith('..') ? page : near;
  // Headings of Markdown are reached by their text in small letters.
  return (code) => `${file}#${code.toLowerCase()}`;
}

/** Leads a reader to each code of some findings, once. */
function sayPages(
  session: Session,
  findings: readonly { readonly code: ProblemCode }[],
  pageOf: PageOf,
): void {
  const codes = [...new Set(findings.map(({ code }) => code))].toSorted();
  if (codes.length === 0) return;
  if (pageOf === null) {
    session.say('A running Backstep shows each code mended: <url>/docs/findings#<code>');
    return;
  }
  session.say('Each code with an example, and the same mended:');
  codes.forEach((code) => session.say(`  ${pageOf(code)}`));
}
