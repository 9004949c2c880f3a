import { cp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { REPOSITORY } from '../stack/repository.js';

const HOSTS = ['host-a', 'host-b', 'host-c'];
/** Room for more instances than any test makes. */
const SIZE = { cpu: 1_000_000, memory: 1_000_000, storage: 100_000_000 };

/** A file of hosts with room for everything; returns its path. */
export async function writeHosts(folder: string): Promise<string> {
  const file = path.join(folder, 'hosts.json');
  await writeFile(file, JSON.stringify(HOSTS.map((host) => ({ host, ...SIZE }))));
  return file;
}

/** The flows that come along, and more of one's own; returns the path of their folder. */
export async function writeFlows(folder: string, more: object): Promise<string> {
  const flows = path.join(folder, 'flow-configs');
  await cp(path.join(REPOSITORY, 'flow-configs'), flows, { recursive: true });
  await writeFile(path.join(flows, 'of-the-test.json'), JSON.stringify(more));
  return flows;
}
