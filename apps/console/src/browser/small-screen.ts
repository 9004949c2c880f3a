/**
 * Whether the page is looked at on a phone. There the keyboard covers half of the screen, so
 * nothing may open it before the reader has seen what it is about.
 */
export function isSmallScreen(): boolean {
  return matchMedia('(pointer: coarse), (max-width: 720px)').matches;
}
