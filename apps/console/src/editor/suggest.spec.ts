import { describe, expect, it } from '@jest/globals';
import { type Known, suggest } from './suggest.js';

const sleep = { type: 'object', properties: { ms: { type: 'integer' }, unit: { enum: ['s'] } } };
const known: Known = {
  commands: new Map<string, object | null>([
    ['lab.succeed', null],
    ['lab.sleep', sleep],
    ['mysql.init', null],
  ]),
  flows: ['a-flow', 'b-flow'],
};

/** The labels where `|` stands in a text, and the text once the first of them is taken. */
function at(marked: string): { labels: readonly string[]; taken: string } {
  const offset = marked.indexOf('|');
  const text = marked.replace('|', '');
  const found = suggest(text, offset, known);
  if (found === null) return { labels: [], taken: text };
  const taken = text.slice(0, found.from) + found.items[0]?.text + text.slice(found.to);
  return { labels: found.items.map(({ label }) => label), taken };
}

describe('suggestions in the text of a flow', () => {
  it.each([
    ['{ "|" }', ['description', 'input', 'steps']],
    ['{ "steps": [{ "| }] }', ['name', 'normal', 'group', 'choice', 'foreach', 'dynamic']],
    ['[{ "normal": { "module": "lab", "|": 1 } }]', ['command', 'timeout', 'retry']],
    ['[{ "group": [{ "loop": { "|" } }] }]', ['steps', 'while', 'until', 'max']],
  ])('are the members that may stand at %s', (text, labels) => {
    expect(at(text).labels).toEqual(expect.arrayContaining(labels));
  });

  it('leave out members that are there', () => {
    const { labels } = at('[{ "name": "a", "|" }]');
    expect(labels).not.toContain('name');
    expect(labels).toContain('normal');
  });

  it.each([
    ['[{ "normal": { "module": "|" } }]', ['lab', 'mysql']],
    ['[{ "normal": { "module": | } }]', ['lab', 'mysql']],
    ['[{ "normal": { "module": "lab", "command": "s|" } }]', ['succeed', 'sleep']],
    ['{ "steps": [{ "rollback": { "command": "|", "module": "mysql" } }] }', ['init']],
    ['{ "failureFlow": "|" }', ['a-flow', 'b-flow']],
    ['[{ "flow": { "name": "|" } }]', ['a-flow', 'b-flow']],
    [
      '[{ "name": "a" }, { "name": "b", "needs": ["|"] }, { "normal": { "command": "c" } }]',
      ['a', 'c'],
    ],
    ['[{ "optional": | }]', ['true', 'false']],
    ['[{ "parallel": {}, "onBranchFailure": "|" }]', ['cancel', 'wait']],
    [
      '[{ "normal": { "module": "lab", "command": "sleep", "parameters": { "|" } } }]',
      ['ms', 'unit'],
    ],
  ])('are the values that may stand at %s', (text, labels) => {
    expect(at(text).labels).toEqual(labels);
  });

  it.each([
    ['{ "steps": [{ "no|" }] }', /^\{ "steps": \[\{ "name": "" \}\] \}$/],
    ['[{ "normal": { "module": "l|" } }]', /"module": "lab" /],
    ['[{ "normal": { "mod|": "lab" } }]', /"module": "lab"/],
    ['[{ "failure|\n}]', /^\[\{ "name": ""\n\}\]$/],
  ])('put the first of them in the place of what was typed at %s', (text, taken) => {
    expect(at(text).taken).toMatch(taken);
  });

  it.each(['', '|', '[{ "if": "{% a| %}" }]', '{ "constants": { "|" } }'])(
    'break nothing at %j',
    (text) => {
      expect(() => at(text.includes('|') ? text : `${text}|`)).not.toThrow();
    },
  );
});
