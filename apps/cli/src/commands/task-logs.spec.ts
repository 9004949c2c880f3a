import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { run } from '../run-cli-spec.js';
import { json, StubServer, taskReport } from '../stub-server-spec.js';

const ID = '01a200b2-70b8-7cc9-a2a4-6a6d6b2ab5f1';
const AT = '2026-01-31T08:00:00.000Z';
const LINE = { step: 'copy', run: 'copy', direction: 'normal', attempt: 1, line: 1, at: AT };

let server: StubServer;
beforeEach(async () => {
  server = await StubServer.start();
});
afterEach(() => server.stop());

const logs = (...argv: string[]) => run(['task', 'logs', ID, ...argv, '--url', server.url]);

/** Answers with a page of one line each, of these. */
function answerWith(lines: readonly object[]): void {
  let nth = 0;
  server.answer = (_request, response) => {
    const line = lines[nth];
    nth += 1;
    const nextCursor = nth < lines.length ? `${nth}` : null;
    json(response, { items: [line], dropped: 0, page: { nextCursor } });
  };
}

describe('task logs', () => {
  it('prints all lines page by page, each with its attempt, and where some were cut', async () => {
    answerWith([
      { ...LINE, message: '\tindented  \u001b[2J' },
      { ...LINE, direction: 'rollback', attempt: 2, dropped: 7, message: 'undone' },
    ]);
    const { stdout } = await logs('--step', 'copy', '--attempt', '2');
    expect(stdout).toBe(
      `${AT}  copy  \tindented  ?[2J\n` +
        `... 7 lines were cut here\n${AT}  ↩ copy (attempt 2)  undone\n`,
    );
    const query = 'step=copy&attempt=2&limit=1000';
    expect(server.seen.map(({ path }) => path)).toEqual([
      `/v1/tasks/${ID}/logs?${query}`,
      `/v1/tasks/${ID}/logs?${query}&cursor=1`,
    ]);
  });

  it.each([
    ['json', `[\n  {\n    "step"`],
    ['jsonl', '{"step":"copy"'],
    ['name', 'one\n'],
  ])('as %s is for programs', async (output, begin) => {
    answerWith([{ ...LINE, message: 'one' }]);
    expect((await logs('-o', output)).stdout.startsWith(begin)).toBe(true);
  });

  it('with --follow goes on behind the last line of a lost stream, to the end', async () => {
    const seen: (string | undefined)[] = [];
    server.answer = ({ headers, path }, response) => {
      if (!path.includes('/logs')) {
        const timeEnd = seen.length > 1 ? 1_769_846_400 : null;
        return json(response, { ...taskReport('succeeded'), timeEnd });
      }
      seen.push(headers['last-event-id'] as string | undefined);
      if (seen.length > 2) return void response.writeHead(204).end();
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const data = JSON.stringify({ ...LINE, message: `said ${seen.length}` });
      response.write('event: progress\ndata: {"percent":1}\n\n');
      response.end(`id: mark-${seen.length}\nevent: line\ndata: ${data}\n\n`);
    };
    const { code, stdout } = await logs('--follow', '-o', 'name');
    expect([code, stdout]).toEqual([0, 'said 1\nsaid 2\n']);
    expect(seen).toEqual([undefined, 'mark-1', 'mark-2']);
  });
});
