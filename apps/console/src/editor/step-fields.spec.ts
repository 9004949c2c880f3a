import { describe, expect, it } from '@jest/globals';
import { changeOf, formOf, parameterFields } from './step-fields.js';

const SCHEMA = {
  type: 'object',
  required: ['ms'],
  properties: {
    ms: { type: 'integer', description: 'How long.' },
    kind: { enum: ['terminal', 'retryable'] },
    fast: { type: 'boolean' },
    hosts: { type: 'array' },
  },
};
const KNOWN = { commands: new Map([['lab.x', SCHEMA]]), flows: [] };
const TEXT =
  '[{ "normal": { "module": "lab", "command": "x", "parameters": ' +
  '{ "ms": 12345678901234567890, "note": "n", "hosts": [], "size": "{% a %}" } } }]';
const STEP = { normal: { module: 'lab', command: 'x' }, rollback: null };

const { fields, others } = parameterFields({
  text: TEXT,
  path: [0, 'normal', 'parameters'],
  command: 'lab.x',
  known: KNOWN,
});
const form = formOf(STEP, 'x', []);
const withTyped = (parameters: Readonly<Record<string, string>>) =>
  changeOf({ ...form, parameters }, fields, ['taken']);

describe('the form of a step', () => {
  it('has the parameters that are announced or written, as they are written', () => {
    expect(fields.map(({ isNeeded, name, start }) => [name, start, isNeeded])).toEqual([
      ['ms', '12345678901234567890', true],
      ['kind', '', false],
      ['fast', '', false],
      ['note', 'n', false],
      ['size', '{% a %}', false],
    ]);
    expect(others).toEqual(['hosts']);
    expect(fields[1]?.choices).toEqual(['terminal', 'retryable']);
  });

  it('changes nothing that was not typed', () => {
    expect(withTyped({})).toEqual({
      name: 'x',
      normal: { module: 'lab', command: 'x' },
      rollback: null,
      parameters: {},
    });
  });

  it('gives values of their types, and expressions as they are', () => {
    const typed = { ms: '{% wait %}', kind: 'terminal', fast: 'true', note: '', size: '7' };
    expect(withTyped(typed)).toMatchObject({
      parameters: { ms: '{% wait %}', kind: 'terminal', fast: true, note: undefined, size: '7' },
    });
  });

  it.each([
    [{ ms: 'long' }, 'ms is not a number.'],
    [{ fast: 'perhaps' }, 'fast is not true or false.'],
    [{ ms: '9007199254740993' }, /^ms: 9007199254740993 has more digits/],
  ])('says what is wrong with %j', (typed, sentence) => {
    expect(withTyped(typed as Readonly<Record<string, string>>)).toEqual(
      typeof sentence === 'string' ? sentence : expect.stringMatching(sentence),
    );
  });

  it.each([
    [{ name: 'taken' }, 'Another step of this list has this name.'],
    [{ name: '-' }, /^A name has letters/],
    [{ command: 'lab' }, 'A command is written module.command.'],
    [{ undo: 'command' as const, undoCommand: '.y' }, 'A command is written module.command.'],
  ])('refuses %j', (typed, sentence) => {
    expect(changeOf({ ...form, ...typed }, fields, ['taken'])).toEqual(
      typeof sentence === 'string' ? sentence : expect.stringMatching(sentence),
    );
  });
});
