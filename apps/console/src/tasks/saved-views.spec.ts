import { describe, expect, it } from '@jest/globals';
import { readViews, searchAddress, withView } from './saved-views.js';

describe('saved views', () => {
  it('are read as far as they are views', () => {
    const text = '[{"name":"a","q":"flow:a"},{"name":"","q":""},null,3,{"name":"b"}]';
    expect(readViews(text)).toEqual([{ name: 'a', q: 'flow:a' }]);
    for (const broken of [null, '', '{', '{}', '3']) expect(readViews(broken)).toEqual([]);
  });

  it('have one search for each name, and are in the order of these', () => {
    const first = withView([], { name: 'b', q: 'flow:b' });
    const second = withView(first, { name: 'a', q: 'flow:a' });
    expect(withView(second, { name: 'b', q: 'flow:c' })).toEqual([
      { name: 'a', q: 'flow:a' },
      { name: 'b', q: 'flow:c' },
    ]);
  });

  it('have addresses that others can open', () => {
    expect(searchAddress('')).toBe('/console/tasks');
    const address = searchAddress('flow:a text:"50% & more"', { name: 'On call' });
    const { pathname, searchParams } = new URL(address, 'http://x');
    expect([pathname, ...searchParams]).toEqual([
      '/console/tasks',
      ['q', 'flow:a text:"50% & more"'],
      ['view', 'On call'],
    ]);
  });

  it('lead past the list where the search is the id of a task, which leads forward again', () => {
    const id = '01a204e9-a274-7392-aa80-5731a39ef917';
    expect(searchAddress(` ${id.toUpperCase()} `)).toBe(`/console/tasks/${id}`);
  });
});
