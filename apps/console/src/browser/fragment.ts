/**
 * The value of a name in what stands behind `#` in the address; null: it is not there. It is taken
 * out of the address, and so out of the history of the browser.
 */
export function takeFragment(name: string): string | null {
  const { hash, pathname, search } = window.location;
  const value = new URLSearchParams(hash.slice(1)).get(name);
  if (value !== null) window.history.replaceState(null, '', `${pathname}${search}`);
  return value;
}
