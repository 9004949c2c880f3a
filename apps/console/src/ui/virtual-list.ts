import { Virtualizer, type VirtualizerOptions } from '@tanstack/virtual-core';
import { useLayoutEffect, useState } from 'preact/hooks';

/**
 * The items of a long list that are in view. Preact has no adapter of virtual-core, so this calls
 * what those of other frameworks call, `_didMount` and `_willUpdate`.
 */
export function useVirtualizer<Box extends Element | Window, Item extends Element>(
  options: VirtualizerOptions<Box, Item>,
): Virtualizer<Box, Item> {
  const [, redraw] = useState(0);
  const own = { ...options, onChange: () => redraw((before) => before + 1) };
  const [items] = useState(() => new Virtualizer(own));
  items.setOptions(own);
  useLayoutEffect(() => items._didMount(), []);
  useLayoutEffect(() => items._willUpdate());
  return items;
}
