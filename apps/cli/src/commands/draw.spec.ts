import { describe, expect, it } from '@jest/globals';
import { EXIT } from '../exit.js';
import { run } from '../run-cli-spec.js';
import { json, StubServer } from '../stub-server-spec.js';

const step = { name: 'a', needs: [], normal: { module: 'm', command: 'a' }, rollback: null };

describe('flow draw', () => {
  it.each([
    ['mermaid', 'flowchart TD'],
    ['dot', 'digraph flow {'],
    ['svg', '<svg '],
  ])('writes %s', async (format, begin) => {
    const server = await StubServer.start();
    server.answer = (_request, response) => json(response, { name: 'a', steps: [step] });
    const { code, stdout } = await run(['flow', 'draw', 'a', '-o', format, '--url', server.url]);
    expect(code).toBe(EXIT.done);
    expect(stdout).toMatch(new RegExp(`^${begin.replace('{', '\\{')}`));
    await server.stop();
  });

  it.each([
    [['flow', 'draw', 'a', '-o', 'name'], 'not as name'],
    [['flow', 'list', '-o', 'svg'], 'only drawings are written as svg'],
    [['flow', 'list', '-o', 'pdf'], 'Allowed choices are table, json, jsonl, name.'],
  ])('refuses %j', async (argv, words) => {
    const { code, stderr } = await run(argv);
    expect(code).toBe(EXIT.usage);
    expect(stderr).toContain(words);
  });
});
