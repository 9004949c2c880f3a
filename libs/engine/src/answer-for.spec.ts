import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { Answer, AnswerKind, JsonValue, Question } from '#core';
import { PlainSecrets, FakeEntropy } from '#testing';
import { fuzzBudget } from '../../../test/fuzz/budget.js';
import { answerFor } from './answer-for.js';

const secrets = new PlainSecrets();
const SEALED = secrets.seal('my-password', 'task-1');
const OTHER = secrets.seal('a much longer password than the one before it', 'task-1');
const entropy = new FakeEntropy();

/** An expression over the texts that it sees in the place of two secrets. */
type Make = (pw: string, other: string) => JsonValue;

function question(as: AnswerKind): Question {
  const task = { id: 'task-1', flow: 'f', version: 1, labels: {}, createdAt: 0 };
  const parameters = { pw: SEALED, more: [{ pw: SEALED, other: OTHER }] };
  const scene = { parameters, input: parameters, steps: {}, states: {}, task, index: null, now: 0 };
  return { members: [{ name: 'it', template: '{% it %}', as }], scene };
}

function answer(make: Make, as: AnswerKind = 'json', more: object = {}): Promise<Answer> {
  const evaluator = {
    answer: async ({ scene }: Question) => {
      const [seen] = scene.parameters['more'] as readonly { pw: string; other: string }[];
      return Promise.resolve({ values: { it: make(seen?.pw ?? '', seen?.other ?? '') } });
    },
  };
  return answerFor({ entropy, evaluator, hasSecrets: true, ...more }, question(as));
}

describe('the answer of an expression that sees secrets', () => {
  it('may hand them on, in whatever they are put', async () => {
    const found = await answer((pw, other) => ({ a: [pw, 1, other] }));
    expect(found).toEqual({ values: { it: { a: [SEALED, 1, OTHER] } } });
  });

  it('knows nothing of them but which of them are one', async () => {
    const seen: string[] = [];
    await answer((...both) => seen.push(...both));
    const [pw = '', other = ''] = seen;
    expect(pw).toHaveLength(other.length);
    expect(pw).not.toBe(other);
    expect(SEALED).not.toContain(pw.slice(0, 12));
    // The next expression sees others: nothing that came from this one stands for them.
    expect(await answer(() => pw)).toEqual({ values: { it: pw } });
  });

  it.each<[string, Make]>([
    ['a text with one in it', (pw) => `db://${pw}@host`],
    ['a part of one', (pw) => pw.slice(0, -1)],
    ['one that it was not given', () => secrets.seal('my-password', 'task-1')],
    ['the very one that it was given, of texts', () => SEALED.slice(0, 5) + SEALED.slice(5)],
  ])('is a fault where it makes %s', async (_, make) => {
    const found = await answer((...both) => [make(...both)]);
    expect(found).toMatchObject({ fault: { member: 'it', position: null } });
    expect(JSON.stringify(found)).not.toContain('bks-sealed');
  });

  it('has a sealed value only where it hands on a whole one, whatever it puts together', async () => {
    const part = fc.constantFrom('pw', 'other', SEALED, SEALED.slice(0, 9), SEALED.slice(9), 'x');
    const isHeld = fc.asyncProperty(fc.array(part, { maxLength: 4 }), async (parts) => {
      const found = await answer((pw, other) => {
        return parts.map((each) => (each === 'pw' ? pw : each === 'other' ? other : each)).join('');
      });
      const whole = { pw: SEALED, other: OTHER }[parts.join('')];
      if (whole !== undefined) expect(found).toEqual({ values: { it: whole } });
      else expect(JSON.stringify(found)).not.toMatch(/bks-sealed:v1/);
    });
    await fc.assert(isHeld, fuzzBudget(400));
  });

  it('is a fault where people see it', async () => {
    for (const as of ['text', 'duration', 'moment'] as const) {
      expect(await answer((pw) => pw, as)).toMatchObject({ fault: { member: 'it' } });
    }
    expect(await answer((pw) => pw, 'json', { isShown: true })).toHaveProperty('fault');
  });

  it('says what went wrong without them', async () => {
    const evaluator = {
      answer: async ({ scene }: Question) => {
        const reason = `no number: ${JSON.stringify(scene.parameters['pw'])}, ${SEALED}`;
        return Promise.resolve({ fault: { member: 'it', position: 0, reason } });
      },
    };
    const found = await answerFor({ entropy, evaluator, hasSecrets: true }, question('json'));
    expect(found).toMatchObject({ fault: { reason: 'no number: "***", ***' } });
  });

  it('is not looked through where the task has none', async () => {
    const value = `db://${SEALED}@host`;
    const found = await answer(() => value, 'text', { hasSecrets: false });
    expect(found).toEqual({ values: { it: value } });
  });
});
