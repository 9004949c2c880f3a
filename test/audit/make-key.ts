import { execFile } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Files of a key that signs an audit log. */
export interface AuditKeyFiles {
  readonly keyFile: string;
  /** Its public half. */
  readonly publicFile: string;
}

/** Makes a key as docs/access.md says, in a folder of its own. */
export async function makeAuditKey(folder: string): Promise<AuditKeyFiles> {
  const place = await mkdtemp(path.join(folder, 'key-'));
  const [keyFile, publicFile] = [path.join(place, 'audit.key'), path.join(place, 'audit.pub')];
  await run('openssl', ['genpkey', '-algorithm', 'ed25519', '-out', keyFile]);
  await run('openssl', ['pkey', '-in', keyFile, '-pubout', '-out', publicFile]);
  return { keyFile, publicFile };
}
