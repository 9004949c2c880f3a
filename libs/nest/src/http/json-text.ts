/**
 * The place after the text in quotes that begins at `at`; the end of everything where it has no
 * closing quote. Takes time in proportion to what it passes over, whatever stands there.
 */
export function endOfText(json: string, at: number): number {
  for (let quote = json.indexOf('"', at + 1); quote !== -1; quote = json.indexOf('"', quote + 1)) {
    let before = quote - 1;
    while (json[before] === '\\') before -= 1;
    if ((quote - before) % 2 === 1) return quote + 1;
  }
  return json.length;
}

/** Line and column of a place in a text, both from 1 on, as people are told. */
export function placeOf(text: string, at: number): string {
  let line = 1;
  let start = 0;
  for (let end = text.indexOf('\n'); end !== -1 && end < at; end = text.indexOf('\n', start)) {
    line += 1;
    start = end + 1;
  }
  return `Line ${line}, column ${at - start + 1}`;
}
