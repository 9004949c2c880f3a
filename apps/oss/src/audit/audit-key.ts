import { createPrivateKey, type KeyObject } from 'node:crypto';
import { readFileSync, type Stats, statSync } from 'node:fs';
import { SettingsError } from '#settings';

/** The bits of a file's mode by which its group, and all others, read or write it. */
const BY_GROUP = 0o060;
const BY_OTHERS = 0o006;

/**
 * The Ed25519 private key in a PEM file. Throws a `SettingsError` where there is none, and where
 * others than this process may read or write it: whoever has it can sign a log of their own.
 */
export function readAuditKey(file: string): KeyObject {
  try {
    expectPrivate(file);
    const key = createPrivateKey(readFileSync(file));
    if (key.asymmetricKeyType === 'ed25519') return key;
    throw new Error(`${file} holds a key of ${key.asymmetricKeyType}, and not of Ed25519`);
  } catch (error) {
    throw new SettingsError([`BACKSTEP_AUDIT_KEY_FILE: ${(error as Error).message}`]);
  }
}

function expectPrivate(file: string): void {
  const found = statSync(file);
  // A system without users in this sense has no such modes, either.
  if (process.getuid === undefined || (found.mode & readersOf(found, process.getuid())) === 0) {
    return;
  }
  throw new Error(`others may read or write ${file}: chmod go= ${file}`);
}

/** A mounted secret of Kubernetes is root's, and a process that is not root has it by its group. */
function readersOf({ uid }: Pick<Stats, 'uid'>, self: number): number {
  return uid === 0 && self !== 0 ? BY_OTHERS : BY_GROUP | BY_OTHERS;
}
