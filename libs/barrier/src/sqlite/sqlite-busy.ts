/** Another process has held the file for too long. */
export class SqliteBusy extends Error {
  override readonly name = 'SqliteBusy';

  constructor(file: string, cause: unknown) {
    super(`${file} is held by another process`, { cause });
  }
}

/** Whether the driver says that another connection is writing. */
export function isBusy(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && /^SQLITE_(BUSY|LOCKED)/.test(code);
}
