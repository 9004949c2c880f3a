import { describe, expect, it } from '@jest/globals';
import { fieldsOf, labelsOf, parametersOf } from './start-input.js';

const FIELDS = fieldsOf({
  required: ['size'],
  properties: {
    size: { type: 'integer', minimum: 1, title: 'Size of the disk' },
    name: { type: 'string', description: 'Of the host.' },
    fast: { type: 'boolean' },
    kind: { enum: ['a', 2] },
    more: { type: 'object' },
    token: { type: 'string', secret: true },
  },
});

const BROKEN = 'The further parameters are not a JSON object.';

describe('a start form', () => {
  it('has a field of its own kind for each member', () => {
    expect(FIELDS.map(({ kind }) => kind)).toEqual([
      'number',
      'text',
      'yes-no',
      'choice',
      'json',
      'secret',
    ]);
    expect(FIELDS[0]).toMatchObject({ isNeeded: true, about: 'integer, at least 1' });
    expect(FIELDS[1]?.about).toBe('Of the host (string)');
  });

  it('labels a field by the title of its member, or by its name', () => {
    expect(FIELDS.map(({ title }) => title).slice(0, 2)).toEqual(['Size of the disk', 'name']);
  });

  it('gives values of their types, and leaves out what is empty', () => {
    const typed = { size: '3', name: '7', fast: 'false', kind: '2', more: '{"a":1}', token: '' };
    expect(parametersOf(FIELDS, typed, '{"other": null}')).toEqual({
      faults: [],
      values: { size: 3, name: '7', fast: false, kind: 2, more: { a: 1 }, other: null },
    });
  });

  it.each([
    [{ size: 'many' }, '', { pointer: '/parameters/size', message: 'size is not a number.' }],
    [{ more: '{' }, '', { pointer: '/parameters/more', message: 'more is not JSON.' }],
    [{ size: '0x10' }, '', { pointer: '/parameters/size', message: 'size is not a number.' }],
    [{}, '[]', { pointer: '/parameters', message: BROKEN }],
  ])('says what %j is not', (typed, more, fault) => {
    expect(parametersOf(FIELDS, typed, more).faults).toEqual([fault]);
  });

  it('says all that is wrong at once', () => {
    const { faults } = parametersOf(FIELDS, { size: 'many', fast: 'yes', name: 'a' }, '{');
    expect(faults.map(({ pointer }) => pointer)).toEqual([
      '/parameters',
      '/parameters/size',
      '/parameters/fast',
    ]);
  });

  const LONG = '12345678901234567890';
  it.each([
    [{ size: LONG }, '', /^size: 12345678901234567890 has more digits than/],
    [{ more: `{"id": [${LONG}]}` }, '', /^more: 12345678901234567890 has more digits than/],
    [{}, `{"id": ${LONG}}`, /^12345678901234567890 has more digits than/],
  ])('does not send %j %s with other digits', (typed, more, sentence) => {
    const { faults, values } = parametersOf(FIELDS, typed, more);
    expect(faults.map(({ message }) => message)).toEqual([expect.stringMatching(sentence)]);
    expect(values).toEqual({});
  });

  it('sends long ids that are texts as they were typed', () => {
    const typed = { name: LONG, token: LONG, more: `{"id": "${LONG}"}` };
    expect(parametersOf(FIELDS, typed, '').values).toEqual({ ...typed, more: { id: LONG } });
  });

  it('reads labels', () => {
    expect(labelsOf(' team=payments  env=a=b ')).toEqual({ team: 'payments', env: 'a=b' });
    expect(labelsOf('team')).toBeNull();
  });
});
