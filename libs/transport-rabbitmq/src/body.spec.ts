import { describe, expect, it } from '@jest/globals';
import { stepDispatch } from '#testing';
import { WRONG_JSON } from '../../../test/fixtures/wrong-json.js';
import { decodeBody, encodeBody, MAX_BODY_BYTES, UnreadableBody } from './body.js';

const { message } = stepDispatch('resource', 'check');
const retry = { attempts: 2, backoff: 'fixed', delay: 1, maxDelay: null, jitter: false } as const;

function decode(change: Record<string, unknown>) {
  return decodeBody(Buffer.from(JSON.stringify({ ...message, ...change })));
}

describe('the body of a step message', () => {
  it('reads back what was written', () => {
    expect(decodeBody(encodeBody({ ...message, retry }))).toEqual({ ...message, retry });
  });

  it('says which errors are tried again, and which never', () => {
    const choosy = { ...retry, only: ['BUSY'], never: [] };
    expect(decodeBody(encodeBody({ ...message, retry: choosy })).retry).toEqual(choosy);
  });

  it('leaves parameters at home that would make it too large', () => {
    const large = { ...message, parameters: { text: 'x'.repeat(MAX_BODY_BYTES) } };
    expect(decodeBody(encodeBody(large))).toEqual({ ...message, parameters: {} });
  });

  it('may have members that nobody here knows', () => {
    expect(decode({ later: 1, retry: { ...retry, later: 1 } })).toEqual({ ...message, retry });
  });

  it('that names no run means the first run of its step', () => {
    expect(decode({ run: undefined })).toEqual({ ...message, run: 'check' });
  });

  it.each(['check~2', 'check~12', 'a#1/check', 'a~2#10/b#3/check~4'])(
    'may be about the run %s',
    (run) => expect(decode({ run })).toEqual({ ...message, run }),
  );

  it('pollutes no prototype', () => {
    const text = JSON.stringify({ ...message, parameters: 0 });
    const hostile = '{"__proto__":{"polluted":1}}';
    const body = text.replace('"parameters":0', `"__proto__":${hostile},"parameters":${hostile}`);
    const { parameters } = decodeBody(Buffer.from(body));
    expect(Object.getPrototypeOf(parameters)).toBe(Object.prototype);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect(JSON.stringify(parameters)).toBe(hostile);
  });

  it.each(WRONG_JSON)('is unreadable as $text, and nobody is told what it says', ({ text }) => {
    const whole = JSON.stringify({ ...message, parameters: 0 });
    const body = whole.replace('"parameters":0', () => `"parameters":${text}`);
    expect(() => decodeBody(Buffer.from(body))).toThrow(UnreadableBody);
    expect(() => decodeBody(Buffer.from(text))).toThrow(
      /^(not JSON|a member is there twice|a number is too large to be kept)$/,
    );
  });

  it('is unreadable when it is nested more deeply than any task', () => {
    const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`;
    const body = JSON.stringify(message).replace('{', () => `{"deep":${deep},`);
    expect(() => decodeBody(Buffer.from(body))).toThrow('nested too deeply');
  });

  it.each<[string, Record<string, unknown>]>([
    ['another version', { v: 2 }],
    ['a version as text', { v: '1' }],
    ['no task', { taskId: '' }],
    ['a broken cursor', { cursor: 0.5 }],
    ['a cursor below 0', { cursor: -1 }],
    ['a fourth type', { type: 3 }],
    ['parameters in a list', { parameters: [] }],
    ['no parameters', { parameters: null }],
    ['a module by number', { module: 7 }],
    ['a timeout below 0', { timeout: -1 }],
    ['a negative retry', { retry: -1 }],
    ['a retry of unknown kind', { retry: { ...retry, backoff: 'random' } }],
    ['a retry without attempts', { retry: { ...retry, attempts: 0 } }],
    ['jitter as text', { retry: { ...retry, jitter: 'yes' } }],
    ['a largest delay as text', { retry: { ...retry, maxDelay: '1' } }],
    ['codes by number', { retry: { ...retry, only: [7] } }],
    ['a code alone', { retry: { ...retry, never: 'QUOTA' } }],
    ['no step', { step: undefined }],
    ['a run by number', { run: 7 }],
    ['a run without a name', { run: '~2' }],
    ['a first run that is numbered', { run: 'check~1' }],
    ['a run in no round of its holder', { run: 'holder/check' }],
    ['attempt 0', { attempt: 0 }],
  ])('is unreadable with %s', (_what, change) => {
    expect(() => decode(change)).toThrow(UnreadableBody);
  });
});
