import type { TaskEvent } from './shapes.js';

/** Takes the text of an event stream as it comes, and gives each whole event. */
export function eventReader(onEvent: (event: TaskEvent) => void): (text: string) => void {
  let rest = '';
  return (text) => {
    const blocks = (rest + text).replaceAll('\r\n', '\n').split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const data = block
        .split('\n')
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice('data:'.length).trimStart())
        .join('\n');
      if (data !== '') onEvent(JSON.parse(data) as TaskEvent);
    }
  };
}
