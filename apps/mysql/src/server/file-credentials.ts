import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Entropy } from '#ports';
import { clientFile, type Credentials, type Login } from '../credentials.js';
import { codeOf, removeFolder, writeFolder } from '../durable-folder.js';
import { newPassword } from '../password.js';

const CONFIGURATION = 'my.cnf';
const PASSWORD = /^password = (.+)$/m;

/** Passwords on this machine: each in a file that only this user may read, as clients take it. */
export class FileCredentials implements Credentials {
  /** `root`: the folder of instances. */
  constructor(
    private readonly root: string,
    private readonly entropy: Entropy,
  ) {}

  /** As seen from the data folder. */
  placeOf(instance: string): string {
    return `instances/${instance}/${CONFIGURATION}`;
  }

  async passwordFor(login: Login): Promise<string> {
    const known = PASSWORD.exec((await this.clientFileOf(login.instance)) ?? '')?.[1];
    if (known !== undefined) return known;
    const password = newPassword(this.entropy);
    const content = clientFile(login, password);
    await writeFolder(this.#folder(login.instance), { [CONFIGURATION]: content });
    return password;
  }

  async remove(instance: string): Promise<void> {
    await removeFolder(this.#folder(instance), path.join(this.root, `.removed-${instance}`));
  }

  async clientFileOf(instance: string): Promise<string | null> {
    try {
      return await readFile(path.join(this.#folder(instance), CONFIGURATION), 'utf8');
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return null;
      throw error;
    }
  }

  async close(): Promise<void> {}

  #folder(instance: string): string {
    return path.join(this.root, instance);
  }
}
