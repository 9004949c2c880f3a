/**
 * The file is not a store that this version can work with; the message goes on after the file's
 * name.
 */
export class ForeignFile extends Error {
  override readonly name = 'ForeignFile';
}
