import { expect, it } from '@jest/globals';
import { Virtualizer } from '@tanstack/virtual-core';

it('a virtualizer watches its box from an update on until it is unmounted', () => {
  const watched: string[] = [];
  const box = {} as Element;
  const items = new Virtualizer<Element, Element>({
    count: 1,
    getScrollElement: () => box,
    estimateSize: () => 10,
    scrollToFn: () => undefined,
    observeElementRect: () => {
      watched.push('watched');
      return () => void watched.push('left');
    },
    observeElementOffset: () => undefined,
  });
  const unmount = items._didMount();
  expect(watched).toEqual([]);
  items._willUpdate();
  expect(watched).toEqual(['watched']);
  unmount();
  expect(watched).toEqual(['watched', 'left']);
});
