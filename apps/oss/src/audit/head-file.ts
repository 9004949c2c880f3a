import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { type HeadShelf, type SignedHead, signedHeadIn } from '#access';
import type { Observer } from '#ports';
import { SettingsError } from '#settings';

/**
 * A file beside the key of the audit log, with the head that a gateway signed last: so a gateway
 * notices what was done to the log while it did not run. Where the file cannot be written, that is
 * noticed once, and a stop of the gateway forgets its head.
 */
export function headFileOf(keyFile: string, observer: Pick<Observer, 'noticed'>): HeadShelf {
  const name = `${keyFile}.head`;
  let isTold = false;
  return {
    name,
    load: () => readHeadFile(name),
    save: (head) => {
      try {
        replaceWith(name, `${JSON.stringify(head)}\n`);
      } catch (error) {
        if (isTold) return;
        isTold = true;
        const message = `the last head of the audit log cannot be kept in ${name}`;
        observer.noticed({ level: 'warn', name: 'audit_head_not_kept', message, error });
      }
    },
  };
}

/** Throws a `SettingsError` where the file has something else. */
function readHeadFile(file: string): SignedHead | null {
  try {
    const head = signedHeadIn(readFileSync(file, 'utf8'));
    if (head !== null) return head;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new SettingsError([`BACKSTEP_AUDIT_KEY_FILE: ${(error as Error).message}`]);
  }
  throw new SettingsError([`BACKSTEP_AUDIT_KEY_FILE: ${file} beside it has no head of the log`]);
}

/** Readers see the old content or the new one. Gateways of one key may share the file. */
function replaceWith(file: string, content: string): void {
  const part = `${file}.${process.pid}.part`;
  writeFileSync(part, content, { mode: 0o600 });
  renameSync(part, file);
}
