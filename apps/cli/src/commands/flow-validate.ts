import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type Problem, validateFlowText } from '#flow-files';
import { EXIT, type ExitCode } from '../exit.js';
import type { Paint, Session } from '../session.js';
import { plainLine } from '../terminal/text-width.js';
import { type Call, restArgs } from '../tree/call.js';

/** A problem and the file it is in. */
type FileFinding = Problem & { readonly file: string };

/** `flow validate` */
export async function flowValidate(session: Session, call: Call): Promise<ExitCode> {
  const files = restArgs(call);
  const found = await Promise.all(files.map((file) => checkFile(file, session.terminal.cwd)));
  const problems = found.flat();
  switch (session.options.output) {
    case 'json':
      session.printJson({ valid: problems.length === 0, problems });
      break;
    case 'jsonl':
      problems.forEach((problem) => session.printJson(problem));
      break;
    case 'name':
      new Set(problems.map(({ file }) => file)).forEach((file) => session.print(file));
      break;
    case 'table':
      problems.forEach((problem) => session.print(problemText(problem, session.paint)));
      break;
  }
  session.say(summary(files, problems));
  return problems.length === 0 ? EXIT.done : EXIT.usage;
}

async function checkFile(file: string, cwd: string): Promise<readonly FileFinding[]> {
  let text: string;
  try {
    text = await readFile(path.resolve(cwd, file), 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isFolder = code === 'EISDIR';
    const message = isFolder ? 'This is a folder.' : `The file cannot be read: ${code}.`;
    const hint = isFolder
      ? `Name its files: ${path.join(file, '*.json')}`
      : 'Compare the name with what is in the folder.';
    return [{ file, pointer: '', line: 1, column: 1, code: 'FILE_NOT_READABLE', message, hint }];
  }
  return validateFlowText(text).problems.map((problem) => ({ file, ...problem }));
}

function problemText(problem: FileFinding, paint: Paint): string {
  const { code, column, file, hint, line, message } = problem;
  const where = paint.bold(`${file}:${line}:${column}`);
  return `${where} ${paint.red(code)} ${plainLine(`${message} ${hint}`)}`;
}

function summary(files: readonly string[], problems: readonly FileFinding[]): string {
  const bad = new Set(problems.map(({ file }) => file)).size;
  const count = files.length === 1 ? '1 file' : `${files.length} files`;
  if (bad === 0) return `${count} checked, nothing wrong`;
  return `${count} checked, ${bad} with ${problems.length === 1 ? 'a problem' : 'problems'}`;
}
