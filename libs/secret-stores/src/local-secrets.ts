import { constants } from 'node:fs';
import { type FileHandle, open, realpath } from 'node:fs/promises';
import path from 'node:path';
import { SecretNotFound, type SecretPlace, type SecretResolver, SecretStoreAway } from '#ports';

/** Bytes of a secret; a file with more is none. */
const BYTES_MAX = 1 << 20;

/** A reader that is not let wait for a writer: of a pipe nobody may ever write to. */
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK;

/**
 * Secrets in the files of one folder, as Kubernetes and Docker mount them: `file:db/password`. A
 * file is UTF-8; one line break at its end does not belong to the secret. Links may lead to other
 * places of the folder, and to none outside of it.
 */
export class FileSecrets implements SecretResolver {
  readonly name = 'file';
  readonly #folder: string;

  /** `folder`: an absolute path. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  async resolve(place: SecretPlace): Promise<string> {
    if (place.key !== null) throw new SecretNotFound(place, 'has a key, and a file has none');
    const folder = await realpath(this.#folder).catch(() => {
      throw new SecretStoreAway('the folder of BACKSTEP_SECRET_FILES is not there');
    });
    const file = await realpath(path.join(folder, ...place.path.split('/'))).catch(
      (error: unknown) => {
        throw isMissing(error) ? new SecretNotFound(place) : unreadable(place, error);
      },
    );
    if (!file.startsWith(`${folder}${path.sep}`)) {
      throw new SecretNotFound(place, 'leads out of the folder of BACKSTEP_SECRET_FILES');
    }
    return textIn(await read(file, place), place);
  }
}

async function read(file: string, place: SecretPlace): Promise<Buffer> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file, FLAGS);
    const stat = await handle.stat();
    if (!stat.isFile()) throw new SecretNotFound(place, 'is no file');
    if (stat.size > BYTES_MAX) throw new SecretNotFound(place, 'is larger than a secret may be');
    return await handle.readFile();
  } catch (error) {
    if (error instanceof SecretNotFound) throw error;
    throw isMissing(error) ? new SecretNotFound(place) : unreadable(place, error);
  } finally {
    await handle?.close();
  }
}

function textIn(bytes: Buffer, place: SecretPlace): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).replace(/\r?\n$/, '');
  } catch {
    throw new SecretNotFound(place, 'is no text in UTF-8');
  }
}

const MISSING: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG']);

function isMissing(error: unknown): boolean {
  return MISSING.has(codeOf(error));
}

/** The operator can mend it: rights, a disk that fails, too many open files. */
function unreadable({ reference }: SecretPlace, error: unknown): SecretStoreAway {
  return new SecretStoreAway(`the file of ${reference} cannot be read: ${String(codeOf(error))}`);
}

function codeOf(error: unknown): unknown {
  return (error as { readonly code?: unknown } | null)?.code;
}

/** Secrets in variables of the process: `env:API_TOKEN`. It sees those that are listed alone. */
export class EnvSecrets implements SecretResolver {
  readonly name = 'env';
  readonly #variables: ReadonlyMap<string, string>;

  /** `listed`: names of the variables that may be asked for. */
  constructor(listed: readonly string[], env: Readonly<Record<string, string | undefined>>) {
    const found = listed.flatMap((name) => {
      const value = Object.hasOwn(env, name) ? env[name] : undefined;
      // An empty variable counts as not set, as it does for settings.
      return value === undefined || value === '' ? [] : [[name, value] as const];
    });
    this.#variables = new Map(found);
  }

  async resolve(place: SecretPlace): Promise<string> {
    if (place.key !== null) throw new SecretNotFound(place, 'has a key, and a variable has none');
    const value = this.#variables.get(place.path);
    if (value === undefined) throw new SecretNotFound(place, 'is no variable that is set here');
    return value;
  }
}
