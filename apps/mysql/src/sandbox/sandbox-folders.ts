import { hash } from 'node:crypto';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { readStoredJson } from '#core/json';
import type { BarrierContext } from '#ports';
import { type InstanceDescription, InstanceTaken, type Owner } from '../instance.js';
import { codeOf, moveFolder, removeFolder, writeFolder } from '../durable-folder.js';

/** The content of `instance.json`. */
interface InstanceRecord {
  readonly description: InstanceDescription;
  readonly owner: Owner;
}

const RECORD = 'instance.json';

/**
 * The folders of the sandbox. An instance is staged beside the others and moved in place in one go.
 * Staging comes before the intent of an attempt and is taken away by the attempts and undos after
 * it, so that an attempt that was stopped in between, however long, finds nothing to move when it
 * goes on.
 */
export class SandboxFolders {
  constructor(private readonly root: string) {}

  async prepare(): Promise<void> {
    await mkdir(this.#staging(), { recursive: true, mode: 0o700 });
  }

  /** Prepares an instance that is not there yet. */
  stage(context: BarrierContext, files: Readonly<Record<string, string>>): Promise<void> {
    return writeFolder(this.#staged(context), files);
  }

  /** Moves a prepared instance in place, unless this owner's is there already. */
  async place(context: BarrierContext, instance: string): Promise<InstanceRecord> {
    await this.dropStaged(context, (token) => token < context.fencingToken);
    try {
      await moveFolder(this.#staged(context), this.#folder(instance));
    } catch (error) {
      if (!['ENOTEMPTY', 'EEXIST'].includes(String(codeOf(error)))) throw error;
    }
    const record = await this.read(instance);
    if (record === null || !isOwner(record.owner, context)) throw new InstanceTaken(instance);
    return record;
  }

  /** Takes away what attempts of this step have prepared. */
  async dropStaged(owner: Owner, which: (token: number) => boolean): Promise<void> {
    const prefix = `${keyOf(owner)}.`;
    for (const name of await readdir(this.#staging())) {
      if (!name.startsWith(prefix) || !which(Number(name.slice(prefix.length)))) continue;
      await rm(path.join(this.#staging(), name), { recursive: true, force: true });
    }
  }

  /** Removes an instance if it is this owner's; whether it was there. */
  async remove(instance: string, owner: Owner): Promise<boolean> {
    const record = await this.read(instance);
    if (record === null || !isOwner(record.owner, owner)) return false;
    const by = path.join(this.#staging(), `removed-${instance}-${keyOf(owner)}`);
    await removeFolder(this.#folder(instance), by);
    return true;
  }

  async read(instance: string): Promise<InstanceRecord | null> {
    try {
      const text = await readFile(path.join(this.#folder(instance), RECORD), 'utf8');
      return readStoredJson(text, 'the record of an instance') as InstanceRecord;
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return null;
      throw error;
    }
  }

  /** All instances there are. */
  async list(): Promise<readonly InstanceRecord[]> {
    const names = await readdir(this.root);
    // No name of an instance starts with a dot.
    const own = names.filter((name) => !name.startsWith('.')).toSorted();
    const records = await Promise.all(own.map((name) => this.read(name)));
    return records.filter((record) => record !== null);
  }

  #folder(instance: string): string {
    return path.join(this.root, instance);
  }

  // No name of an instance starts with a dot.
  #staging(): string {
    return path.join(this.root, '.staging');
  }

  #staged(context: BarrierContext): string {
    return path.join(this.#staging(), `${keyOf(context)}.${context.fencingToken}`);
  }
}

/** The file that makes a folder an instance. */
export function recordFile(record: InstanceRecord & { readonly notice: string }) {
  return { [RECORD]: `${JSON.stringify(record, null, 2)}\n` };
}

function isOwner(owner: Owner, { taskId, run }: Owner): boolean {
  return owner.taskId === taskId && owner.run === run;
}

function keyOf({ taskId, run }: Owner): string {
  const key = JSON.stringify([taskId, run]);
  return hash('sha256', key, 'hex').slice(0, 32);
}
