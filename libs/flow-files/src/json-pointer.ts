/** A pointer one member or entry further down (RFC 6901). */
export function joinPointer(pointer: string, segment: string | number): string {
  return `${pointer}/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** The member names and positions of a pointer, outermost first. */
export function splitPointer(pointer: string): readonly string[] {
  if (pointer === '') return [];
  const unescape = (part: string) => part.replaceAll('~1', '/').replaceAll('~0', '~');
  return pointer.slice(1).split('/').map(unescape);
}
