import { describe, expect, it } from '@jest/globals';
import { type Command, fittingCommands } from './commands.js';

function command(words: string, more = ''): Command {
  return { id: words, kind: 'page', words, more, run: () => {} };
}

const ALL = [
  command('Tasks'),
  command('Roll back'),
  command('create-db-instance'),
  command('rebuild'),
  command('Overview', 'home'),
];

function found(text: string): readonly string[] {
  return fittingCommands(ALL, text).map(({ words }) => words);
}

describe('the commands that fit a text', () => {
  it.each<[string, string[]]>([
    ['', ['Tasks', 'Roll back', 'create-db-instance', 'rebuild', 'Overview']],
    ['tas', ['Tasks']],
    ['BACK roll', ['Roll back']],
    ['home', ['Overview']],
    ['nothing', []],
    ['roll nothing', []],
  ])('%j', (text, words) => {
    expect(found(text)).toEqual(words);
  });

  it('come closest first: at the beginning, at a word, anywhere', () => {
    const near = [command('sub-b'), command('bb'), command('ab')];
    expect(fittingCommands(near, 'b').map(({ words }) => words)).toEqual(['bb', 'sub-b', 'ab']);
  });

  it('are bounded', () => {
    const many = Array.from({ length: 500 }, (_, n) => command(`flow-${n}`));
    expect(fittingCommands(many, 'flow')).toHaveLength(50);
  });
});
