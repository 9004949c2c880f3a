import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { draftOf, drafts, dropDraft, keepDraft } from './drafts.js';

const held = new Map<string, string>();
let isFull = false;

beforeEach(() => {
  const localStorage = {
    getItem: (name: string) => held.get(name) ?? null,
    removeItem: (name: string) => void held.delete(name),
    setItem: (name: string, value: string) => {
      if (isFull) throw new Error('quota');
      held.set(name, value);
    },
  };
  Object.assign(globalThis, { localStorage });
});
afterEach(() => {
  held.clear();
  isFull = false;
  Reflect.deleteProperty(globalThis, 'localStorage');
});

it('keeps one draft of each flow, by name', () => {
  expect(keepDraft({ name: 'b', text: '1', base: 2 })).toBe(true);
  keepDraft({ name: '', text: 'new', base: null });
  keepDraft({ name: 'b', text: '2', base: 3 });
  expect(drafts().map(({ name, text }) => [name, text])).toEqual([
    ['', 'new'],
    ['b', '2'],
  ]);
  dropDraft('b');
  dropDraft('');
  expect([drafts(), held.size]).toEqual([[], 0]);
});

it('says where a browser keeps nothing', () => {
  isFull = true;
  expect(keepDraft({ name: 'a', text: '1', base: null })).toBe(false);
});

it.each(['nonsense', '{}', '[1, null, {"name": "a"}]'])('reads %s as no draft', (text) => {
  held.set('backstep.flow-drafts', text);
  expect(drafts()).toEqual([]);
  expect(draftOf('a')).toBeNull();
});
