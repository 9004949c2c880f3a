import { describe, expect, it } from '@jest/globals';
import { readSearch, valueIn, withMember } from './search.js';

describe('a search text', () => {
  it('becomes members of the query', () => {
    const text = 'flow:order status:failed,on_hold label.team:payments createdAfter:2026-01-31';
    expect(readSearch(text)).toEqual({
      members: [
        ['flow', 'order'],
        ['status', 'failed,on_hold'],
        ['label.team', 'payments'],
        ['createdAfter', '2026-01-31'],
      ],
      unknown: [],
      taskId: null,
    });
  });

  it('names a flow by a word alone', () => {
    expect(readSearch('order').members).toEqual([['flow', 'order']]);
  });

  it('keeps spaces in quotes', () => {
    expect(readSearch('label.team:"a b"').members).toEqual([['label.team', 'a b']]);
  });

  it('says which words it does not know', () => {
    expect(readSearch('text:"no host" age:>1h flow:a').unknown).toEqual([
      'text:"no host"',
      'age:>1h',
    ]);
  });

  it('is the id of a task, and then nothing else', () => {
    const id = '01A204E9-a274-7392-aa80-5731a39ef917';
    expect(readSearch(` ${id} `)).toMatchObject({ members: [], taskId: id.toLowerCase() });
    expect(readSearch(`${id} flow:a`).taskId).toBeNull();
  });

  it('is written again with a member changed, added or taken away', () => {
    expect(withMember('status:running flow:a', 'flow', 'b')).toBe('status:running flow:b');
    expect(withMember('', 'label.team', 'a b')).toBe('label.team:"a b"');
    expect(withMember('flow:a age:>1h', 'flow', '')).toBe('age:>1h');
    expect(valueIn(withMember('', 'label.team', 'a b'), 'label.team')).toBe('a b');
  });
});
