/** The file is in use: another process has it open, or another store of this one. */
export class StoreBusy extends Error {
  override readonly name = 'StoreBusy';
}

/**
 * The file is no store that this version can work with: written by a newer one, or by something
 * else.
 */
export class StoreForeign extends Error {
  override readonly name = 'StoreForeign';
}
