import { describe, expect, it } from '@jest/globals';
import type { Answer, AnswerKind, JsonValue, Question } from '#core';
import { PlainSecrets } from '#testing';
import { answerFor } from './answer-for.js';

const secrets = new PlainSecrets();
const SEALED = secrets.seal('my-password', 'task-1');

function question(as: AnswerKind): Question {
  const task = { id: 'task-1', flow: 'f', version: 1, labels: {}, createdAt: 0 };
  const parameters = { pw: SEALED };
  const scene = { parameters, input: parameters, steps: {}, states: {}, task, index: null, now: 0 };
  return { members: [{ name: 'it', template: '{% it %}', as }], scene };
}

function answer(value: JsonValue, as: AnswerKind = 'json', more: object = {}): Promise<Answer> {
  const evaluator = { answer: async () => Promise.resolve({ values: { it: value } }) };
  return answerFor({ evaluator, hasSecrets: true, ...more }, question(as));
}

describe('the answer of an expression that sees secrets', () => {
  it('may hand them on, in whatever they are put', async () => {
    const value = { a: [SEALED, 1] };
    expect(await answer(value)).toEqual({ values: { it: value } });
  });

  it.each<[string, JsonValue]>([
    ['a text with one in it', `db://${SEALED}@host`],
    ['a part of one', SEALED.slice(0, 30)],
    ['one that it was not given', secrets.seal('my-password', 'task-1')],
  ])('is a fault where it makes %s', async (_, value) => {
    const found = await answer([value]);
    expect(found).toMatchObject({ fault: { member: 'it', position: null } });
    expect(JSON.stringify(found)).not.toContain('bks-sealed');
  });

  it('is a fault where people see it', async () => {
    for (const as of ['text', 'duration', 'moment'] as const) {
      expect(await answer(SEALED, as)).toMatchObject({ fault: { member: 'it' } });
    }
    expect(await answer(SEALED, 'json', { isShown: true })).toHaveProperty('fault');
  });

  it('says what went wrong without them', async () => {
    const fault = { member: 'it', position: 0, reason: `no number: ${SEALED}` };
    const evaluator = { answer: async () => Promise.resolve({ fault }) };
    const found = await answerFor({ evaluator, hasSecrets: true }, question('json'));
    expect(found).toEqual({ fault: { ...fault, reason: 'no number: ***' } });
  });

  it('is not looked through where the task has none', async () => {
    const value = `db://${SEALED}@host`;
    expect(await answer(value, 'text', { hasSecrets: false })).toEqual({ values: { it: value } });
  });
});
