/** Takes the text of an event stream as it comes, and gives the data of each whole event. */
export function eventReader(onData: (data: unknown) => void): (text: string) => void {
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
      if (data !== '') onData(JSON.parse(data));
    }
  };
}
