import { existsSync } from 'node:fs';
import { mkdir, readFile, readdir, realpath, rm, symlink } from 'node:fs/promises';
import path from 'node:path';

/** The application that a node is; the rest follows from what it says it needs. */
const ROOT_APPLICATION = 'rabbit';

/**
 * Lays out an installation that holds only what a node without plugins needs, as links, and returns
 * its folder of scripts; `undefined` where the installation looks unlike what is known.
 *
 * Erlang looks for every module in every folder on its path: with all plugins there, two thirds of
 * the time that a start takes go into looking in the wrong ones.
 */
export async function trimHome(server: string, target: string): Promise<string | undefined> {
  const scripts = path.dirname(await realpath(server));
  const home = path.dirname(scripts);
  const applications = await findApplications(path.join(home, 'plugins'));
  if (!applications.has(ROOT_APPLICATION)) return undefined;
  await rm(target, { recursive: true, force: true });
  await mkdir(path.join(target, 'plugins'), { recursive: true });
  for (const folder of await neededFolders(applications)) {
    await symlink(folder, path.join(target, 'plugins', path.basename(folder)));
  }
  for (const name of ['sbin', 'escript']) {
    await symlink(path.join(home, name), path.join(target, name));
  }
  return path.join(target, 'sbin');
}

/** Folders are named `<application>-<version>`. */
async function findApplications(plugins: string): Promise<Map<string, string>> {
  const names = existsSync(plugins) ? await readdir(plugins) : [];
  return new Map(
    names.map((name) => [name.slice(0, name.lastIndexOf('-')), path.join(plugins, name)]),
  );
}

async function neededFolders(applications: ReadonlyMap<string, string>): Promise<Set<string>> {
  const needed = new Set<string>();
  const open = [ROOT_APPLICATION];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    // Applications that are not in the map belong to Erlang itself.
    const folder = applications.get(name);
    if (folder === undefined || needed.has(folder)) continue;
    needed.add(folder);
    open.push(...(await requirements(path.join(folder, 'ebin', `${name}.app`))));
  }
  return needed;
}

/** Reads `{applications, [kernel, stdlib, ...]}` and the like from an application's description. */
async function requirements(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8');
  const lists = text.matchAll(/\{\s*(?:included_)?applications\s*,\s*\[([^\]]*)\]/g);
  return [...lists].flatMap(([, list]) => list?.match(/[a-z]\w*/g) ?? []);
}
