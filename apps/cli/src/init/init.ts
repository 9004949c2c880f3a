import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CliError, EXIT } from '../exit.js';
import type { Session } from '../session.js';
import { shellWord } from '../terminal/shell-word.js';
import { type Call, textArg, textOption } from '../tree/call.js';
import { dependencyFor, PACKAGE } from './package-source.js';

/** The files of new projects. npm keeps none that begin with a dot, so these begin with `_`. */
const TEMPLATES = path.join(PACKAGE, 'templates');
const DOTTED = new Map([
  ['_gitignore', '.gitignore'],
  ['_dockerignore', '.dockerignore'],
  ['_package.json', 'package.json'],
  ['_tsconfig.json', 'tsconfig.json'],
]);

/** The client for workers in Python: what pip makes the package of, and where a project has it. */
const PYTHON_CLIENT = path.join(PACKAGE, 'clients/python');
const PYTHON_PARTS = ['pyproject.toml', 'README.md', 'src'];
const PYTHON_VENDOR = 'vendor/backstep-worker';

/** A kind of project: its template, what it has, and the commands that come next. */
interface ProjectKind {
  readonly template: string;
  readonly has: string;
  readonly next: readonly string[];
}

const NODE_PROJECT: ProjectKind = {
  template: 'project',
  has: 'an executor, a flow and their test',
  next: ['npm install', 'npm test', 'npm start'],
};
const PYTHON_PROJECT: ProjectKind = {
  template: 'python',
  has: 'a worker in Python, a flow and their test',
  next: [
    'python3 -m venv .venv && . .venv/bin/activate',
    'pip install -r requirements.txt',
    'python -m unittest',
    'python -m backstep worker stock:worker --url http://127.0.0.1:7070 --reload',
  ],
};

/** `init <folder>`: a project of one's own, with an executor or a worker, a flow and their test. */
export async function init(session: Session, call: Call): Promise<void> {
  const shown = textArg(call, 0);
  const folder = path.resolve(session.terminal.cwd, shown);
  const given = textOption(call, 'backstep');
  const kind = call.options['python'] === true ? PYTHON_PROJECT : NODE_PROJECT;
  if (kind === PYTHON_PROJECT && given !== undefined) {
    throw new CliError(EXIT.usage, '--backstep is for npm: --python takes the client that is here');
  }
  await makeFolder(folder, shown);
  const name = packageName(folder);
  const backstep =
    kind === PYTHON_PROJECT
      ? await pythonClient(folder)
      : await dependencyFor(folder, given, (news) => session.say(news));
  for (const [file, text] of await readTemplate(path.join(TEMPLATES, kind.template))) {
    const target = path.join(folder, file);
    await mkdir(path.dirname(target), { recursive: true });
    const filled = text.replaceAll('{{name}}', name).replaceAll('{{backstep}}', backstep);
    await writeFile(target, filled);
  }
  session.print(folder);
  session.say(`\nA project with ${kind.has}. Next:`);
  session.say([`cd ${shellWord(shown)}`, ...kind.next].map((line) => `  ${line}`).join('\n'));
}

/** Copies the client into the project; gives the line of `requirements.txt` that installs it. */
async function pythonClient(folder: string): Promise<string> {
  for (const part of PYTHON_PARTS) {
    const isCode = (source: string): boolean => !source.includes('__pycache__');
    const target = path.join(folder, PYTHON_VENDOR, part);
    await cp(path.join(PYTHON_CLIENT, part), target, { recursive: true, filter: isCode });
  }
  return `./${PYTHON_VENDOR}`;
}

async function makeFolder(folder: string, shown: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    if ((await readdir(folder)).length === 0) return;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CliError(EXIT.usage, `${shown} cannot be made a folder: ${code}`);
  }
  throw new CliError(EXIT.usage, `${shown} is not empty: name a new folder`);
}

/** A name that npm takes. */
function packageName(folder: string): string {
  const name = path
    .basename(folder)
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-');
  return name.replace(/^[._-]+/, '').slice(0, 200) || 'my-executors';
}

/** Files of the template by the paths that they get. */
async function readTemplate(folder: string): Promise<readonly (readonly [string, string])[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = found.filter((entry) => entry.isFile());
  return Promise.all(
    files.map(async ({ name, parentPath }) => {
      const text = await readFile(path.join(parentPath, name), 'utf8');
      const place = path.relative(folder, parentPath);
      return [path.join(place, DOTTED.get(name) ?? name), text] as const;
    }),
  );
}
