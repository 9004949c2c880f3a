import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';

/** The bits of a file's mode by which its group, and all others, read or write it. */
const BY_GROUP = 0o060;
const BY_OTHERS = 0o006;
/** Keys and secrets are far smaller. */
const BYTES_MAX = 64 * 1024;

/**
 * The content of a file that others than this process may neither read nor write. Throws an error
 * for people where they may, and where it is no such file.
 */
export function readPrivateFile(file: string): Buffer {
  // A pipe would keep its reader waiting.
  const opened = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = fstatSync(opened);
    if (!found.isFile()) throw new Error(`${file} is no file`);
    if (found.size > BYTES_MAX) throw new Error(`${file} is larger than 64 KiB`);
    expectPrivate(file, found);
    return readFileSync(opened);
  } finally {
    closeSync(opened);
  }
}

function expectPrivate(file: string, found: Stats): void {
  const self = process.getuid?.();
  // A system without users in this sense has no such modes, either.
  if (self === undefined || (found.mode & readersOf(found, self)) === 0) return;
  throw new Error(`others may read or write ${file}: chmod go= ${file}`);
}

/** A mounted secret of Kubernetes is root's, and a process that is not root has it by its group. */
function readersOf({ uid }: Pick<Stats, 'uid'>, self: number): number {
  return uid === 0 && self !== 0 ? BY_OTHERS : BY_GROUP | BY_OTHERS;
}
