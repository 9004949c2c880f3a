import { describe, expect, it } from '@jest/globals';
import { complete, completionsOf, type Vocabulary } from './completion.js';

const KNOWN: Vocabulary = {
  flows: ['create-db', 'create-vm', 'drop-db'],
  labels: new Map([
    ['team', new Set(['payments', 'search', 'two words'])],
    ['tier', new Set(['gold'])],
    ['odd key', new Set(['x'])],
  ]),
};

function offered(text: string, cursor = text.length): readonly string[] {
  return completionsOf(text, cursor, KNOWN).map(({ written }) => written);
}

/** Of what unfinished tasks do now. */
const NOW = ['step:', 'module:', 'executor:', 'stage:'];
const KEYS = ['flow:', 'status:', 'waits:person', 'parent:none'];

describe('how a search may go on', () => {
  it.each<[string, string[]]>([
    ['', [...KEYS, ...NOW, 'label.team:', 'label.tier:', 'age:', 'text:']],
    ['fl', ['flow:']],
    ['WAI', ['waits:person']],
    ['waits:', ['waits:person']],
    ['parent:', ['parent:none']],
    ['waits:person', []],
    ['label.t', ['label.team:', 'label.tier:']],
    ['label.team:', ['label.team:payments', 'label.team:search']],
    ['label.none:', []],
    ['status:roll', ['status:rolling_back', 'status:rollback_failed', 'status:rolled_back']],
    ['status:failed,on', ['status:failed,on_hold']],
    ['flow:create-', ['flow:create-db', 'flow:create-vm']],
    ['flow:create-db,dr', ['flow:create-db,drop-db']],
    ['db', ['flow:create-db', 'flow:drop-db']],
    ['age:<', ['age:<15m', 'age:<1h', 'age:<1d']],
    ['flow:create-db st', ['status:', 'step:', 'stage:']],
    ['text:"wa', []],
    ['text:"no host" wa', ['waits:person']],
  ])('%j', (text, written) => {
    expect([...offered(text)].toSorted()).toEqual(written.toSorted());
  });

  it('is of the word at the cursor, at its end', () => {
    expect(offered('fl status:failed', 2)).toEqual(['flow:']);
    expect(offered('flow:x', 2)).toEqual([]);
  });
});

describe('a completed search', () => {
  const at = (text: string, cursor: number) =>
    complete(text, cursor, completionsOf(text, cursor, KNOWN)[0]!);

  it('has the word in its place, and a blank behind what is whole', () => {
    expect(at('status:failed wai', 17)).toEqual({
      text: 'status:failed waits:person ',
      cursor: 27,
    });
  });

  it('goes on right behind a key', () => {
    expect(at('fl', 2)).toEqual({ text: 'flow:', cursor: 5 });
  });

  it('keeps what stands behind the cursor', () => {
    expect(at('wai age:<1h', 3)).toEqual({ text: 'waits:person age:<1h', cursor: 12 });
  });
});
