import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Entropy } from '#ports';
import { codeOf, removeFolder, writeFolder } from '../durable-folder.js';
import { newPassword } from '../password.js';

/** What a client needs besides the password. */
export interface Login {
  readonly host: string;
  readonly instance: string;
  readonly port: number;
}

const CONFIGURATION = 'my.cnf';
const PASSWORD = /^password = (.+)$/m;

/**
 * Passwords of instances: each in a file that only this user may read, in the form that clients
 * take (`mysql --defaults-file=...`). They are nowhere else, and no step is told them.
 */
export class ServerCredentials {
  constructor(
    private readonly root: string,
    private readonly entropy: Entropy,
  ) {}

  /** Where the file of an instance is, as seen from the data folder. */
  pathOf(instance: string): string {
    return `instances/${instance}/${CONFIGURATION}`;
  }

  /** The password of an instance: the one on file, else a new one, which is on file afterwards. */
  async passwordFor({ host, instance, port }: Login): Promise<string> {
    const known = await this.#read(instance);
    if (known !== undefined) return known;
    const password = newPassword(this.entropy);
    const lines = ['[client]', `host = ${host}`, `port = ${port}`, `database = ${instance}`];
    const secret = [`user = ${instance}`, `password = ${password}`, ''];
    const content = [...lines, ...secret].join('\n');
    await writeFolder(this.#folder(instance), { [CONFIGURATION]: content });
    return password;
  }

  async remove(instance: string): Promise<void> {
    await removeFolder(this.#folder(instance), path.join(this.root, `.removed-${instance}`));
  }

  async #read(instance: string): Promise<string | undefined> {
    try {
      const text = await readFile(path.join(this.#folder(instance), CONFIGURATION), 'utf8');
      return PASSWORD.exec(text)?.[1];
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  #folder(instance: string): string {
    return path.join(this.root, instance);
  }
}
