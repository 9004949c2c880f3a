import { StoreUnavailable } from '#ports';

/** Whether the driver says that another connection is writing. */
export function isBusy(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test(codeOf(error));
}

/**
 * An error of a file as its users see it: `StoreUnavailable` where the file, its disk or another
 * process is in the way, which says nothing against what was to be done. Anything else is as it is.
 */
export function asFileError(error: unknown, file: string): unknown {
  if (isBusy(error)) {
    return new StoreUnavailable(`${file} is held by another process`, { cause: error });
  }
  if (!OF_FILE.test(codeOf(error))) return error;
  const { message } = error as Error;
  return new StoreUnavailable(`${file} cannot be used now: ${message}`, { cause: error });
}

/** Codes about the file and its disk, not about a statement. */
const OF_FILE = /^SQLITE_(CANTOPEN|CORRUPT|FULL|IOERR|NOTADB|PERM|PROTOCOL|READONLY)/;

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}
