import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CliError, EXIT, type ExitCode } from '../exit.js';
import type { Session } from '../session.js';
import { shellWord } from '../terminal/shell-word.js';
import { type Call, textArg, textOption } from '../tree/call.js';
import { dependencyFor, PACKAGE } from './package-source.js';

/** The files of a new project. npm keeps none that begin with a dot, so these begin with `_`. */
const TEMPLATE = path.join(PACKAGE, 'templates/project');
const DOTTED = new Map([
  ['_gitignore', '.gitignore'],
  ['_dockerignore', '.dockerignore'],
  ['_package.json', 'package.json'],
  ['_tsconfig.json', 'tsconfig.json'],
]);

/** `init <folder>`: a project of one's own, with an executor, a flow and their test. */
export async function init(session: Session, call: Call): Promise<ExitCode> {
  const shown = textArg(call, 0);
  const folder = path.resolve(session.terminal.cwd, shown);
  await makeFolder(folder, shown);
  const name = packageName(folder);
  const given = textOption(call, 'backstep');
  const backstep = await dependencyFor(folder, given, (news) => session.say(news));
  const files = await readTemplate();
  for (const [file, text] of files) {
    const target = path.join(folder, file);
    await mkdir(path.dirname(target), { recursive: true });
    const filled = text.replaceAll('{{name}}', name).replaceAll('{{backstep}}', backstep);
    await writeFile(target, filled);
  }
  session.print(folder);
  session.say(`\nA project with an executor, a flow and their test. Next:`);
  session.say(`  cd ${shellWord(shown)}\n  npm install\n  npm test\n  npm start`);
  return EXIT.done;
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
async function readTemplate(): Promise<readonly (readonly [string, string])[]> {
  const found = await readdir(TEMPLATE, { recursive: true, withFileTypes: true });
  const files = found.filter((entry) => entry.isFile());
  return Promise.all(
    files.map(async ({ name, parentPath }) => {
      const text = await readFile(path.join(parentPath, name), 'utf8');
      const place = path.relative(TEMPLATE, parentPath);
      return [path.join(place, DOTTED.get(name) ?? name), text] as const;
    }),
  );
}
