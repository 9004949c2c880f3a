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
      size: 3,
      name: '7',
      fast: false,
      kind: 2,
      more: { a: 1 },
      other: null,
    });
  });

  it.each([
    [{ size: 'many' }, '', 'size is not a number.'],
    [{ more: '{' }, '', 'more is not JSON.'],
    [{ size: '0x10' }, '', 'size is not a number.'],
    [{}, '[]', 'The further parameters are not a JSON object.'],
  ])('says what %j is not', (typed, more, sentence) => {
    expect(parametersOf(FIELDS, typed, more)).toBe(sentence);
  });

  const LONG = '12345678901234567890';
  it.each([
    [{ size: LONG }, '', /^size: 12345678901234567890 has more digits than/],
    [{ more: `{"id": [${LONG}]}` }, '', /^more: 12345678901234567890 has more digits than/],
    [{}, `{"id": ${LONG}}`, /^12345678901234567890 has more digits than/],
  ])('does not send %j %s with other digits', (typed, more, sentence) => {
    expect(parametersOf(FIELDS, typed, more)).toMatch(sentence);
  });

  it('sends long ids that are texts as they were typed', () => {
    const typed = { name: LONG, token: LONG, more: `{"id": "${LONG}"}` };
    expect(parametersOf(FIELDS, typed, '')).toEqual({ ...typed, more: { id: LONG } });
  });

  it('reads labels', () => {
    expect(labelsOf(' team=payments  env=a=b ')).toEqual({ team: 'payments', env: 'a=b' });
    expect(labelsOf('team')).toBeNull();
  });
});
