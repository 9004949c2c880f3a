import { expect, it } from '@jest/globals';
import { StoreUnavailable } from '#ports';
import { asFileError } from './file-error.js';

const withCode = (code: string): Error => Object.assign(new Error('no'), { code });

it.each(['BUSY', 'CANTOPEN', 'CORRUPT', 'FULL', 'IOERR_WRITE', 'NOTADB', 'READONLY_DIRECTORY'])(
  'says of SQLITE_%s that the file cannot be used now',
  (code) => {
    const error = asFileError(withCode(`SQLITE_${code}`), 'notes.db');
    expect(error).toBeInstanceOf(StoreUnavailable);
    expect(error).toHaveProperty('message', expect.stringContaining('notes.db'));
  },
);

it('leaves what is wrong with a statement to its author', () => {
  const error = withCode('SQLITE_CONSTRAINT_UNIQUE');
  expect(asFileError(error, 'notes.db')).toBe(error);
});
