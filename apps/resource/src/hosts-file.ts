import { readFile } from 'node:fs/promises';
import { readJson } from '#json';
import { SettingsError } from '#settings';
import type { Host } from './inventory.js';

/** Far more than all hosts that one inventory can take. */
const FILE_BYTES_MAX = 64 * 1024 * 1024;

/** The hosts where no file is given: four of the kind that databases run on. */
const SAMPLE: readonly Host[] = ['host-1', 'host-2', 'host-3', 'host-4'].map((host) => ({
  host,
  cpu: 64,
  memory: 512,
  storage: 20_480,
}));

/**
 * The hosts of a JSON file: a list, or an object with `hosts`. Without a file: a sample. Throws a
 * `SettingsError` where it cannot be used.
 */
export async function readHosts(file: string | undefined): Promise<readonly Host[]> {
  if (file === undefined) return SAMPLE;
  const hosts = listOf(await parse(file));
  if (hosts === undefined || hosts.length === 0) {
    const wanted = 'a list of {host, cpu, memory, storage}, or an object with `hosts` alone';
    throw wrong(`${file}: expected ${wanted}`);
  }
  const names = new Set<string>();
  return hosts.map((entry, index) => {
    const host = hostOf(entry, `${file}: entry ${index + 1}`);
    if (names.has(host.host)) throw wrong(`${file}: host ${host.host} is listed twice`);
    names.add(host.host);
    return host;
  });
}

async function parse(file: string): Promise<unknown> {
  try {
    return readJson(await readFile(file), { bytes: FILE_BYTES_MAX });
  } catch (error) {
    throw wrong(`${file} cannot be read as JSON: ${(error as Error).message}`);
  }
}

function listOf(content: unknown): readonly unknown[] | undefined {
  if (Array.isArray(content)) return content;
  const { hosts, ...others } = (content ?? {}) as { readonly hosts?: unknown };
  return Array.isArray(hosts) && Object.keys(others).length === 0 ? hosts : undefined;
}

function hostOf(entry: unknown, where: string): Host {
  const { host, cpu, memory, storage, ...others } = (entry ?? {}) as Record<string, unknown>;
  const [other] = Object.keys(others);
  if (other !== undefined) throw wrong(`${where}: the member ${other} is unknown`);
  if (typeof host !== 'string' || host === '') throw wrong(`${where} has no host name`);
  const amount = (name: string, value: unknown): number => {
    if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
    throw wrong(`${where}: ${name} of ${host} must be a number of at least 0`);
  };
  return {
    host,
    cpu: amount('cpu', cpu),
    memory: amount('memory', memory),
    storage: amount('storage', storage),
  };
}

function wrong(problem: string): SettingsError {
  return new SettingsError([`BACKSTEP_RESOURCE_HOSTS: ${problem}`]);
}
