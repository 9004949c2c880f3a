import { describe, expect, it } from '@jest/globals';
import { parse, readSourceTree } from './source-tree.js';
import { wordsElsewhere } from './wording-rules.js';

const FILE = 'apps/console/src/pages/a.tsx';

/** The messages of the rule about a file of the console with this text. */
function said(text: string, file = FILE): string[] {
  return wordsElsewhere(parse(file, text)).map((line) => line.replace(/^\S+ says /, ''));
}

describe('the console', () => {
  it('has its English in one place', () => {
    expect(readSourceTree().flatMap(wordsElsewhere)).toEqual([]);
  });
});

describe('the rule on words', () => {
  it('sees a text between tags, also one over several lines, but no sign', () => {
    expect(said('const a = <p>Hello</p>;')).toEqual(['"Hello"']);
    expect(said('const a = <>\n  Hello\n  you <b>there</b>\n</>;')).toHaveLength(2);
    expect(said('const a = <p> · – ×</p>;')).toEqual([]);
  });

  it('sees a text in braces, whatever decides on it', () => {
    expect(said("const a = <p>{'Hello'}</p>;")).toEqual(['"Hello"']);
    expect(said('const a = <p>{` attempt ${n}`}</p>;')).toEqual(['" attempt "']);
    expect(said("const a = <p>{n > 1 ? 'many' : (one ?? `o${'n'}e`)}</p>;")).toHaveLength(4);
    expect(said("const a = <p>{isBack && ', going back'}</p>;")).toEqual(['", going back"']);
    expect(said("const a = <p>{kind === 'failed' && WORDS.failed}</p>;")).toEqual([]);
    expect(said("const a = <p>{find('failed')}</p>;")).toEqual([]);
  });

  it('sees a text in attributes that people read or hear, and in no others', () => {
    for (const name of ['title', 'aria-label', 'placeholder', 'alt']) {
      expect(said(`const a = <input ${name}="Name" />;`)).toEqual(['"Name"']);
      expect(said(`const a = <input ${name}={x ? 'a' : \`to \${y}\`} />;`)).toHaveLength(2);
      expect(said(`const a = <input ${name}={WORDS.name} />;`)).toEqual([]);
    }
    expect(said('const a = <p class="plain text" id="name" role="status" />;')).toEqual([]);
  });

  it('sees a text that one of our own parts is given to show', () => {
    expect(said('const a = <Fact name="Kind" />;')).toEqual(['"Kind"']);
    expect(said('const a = <ListedPage name="locks" />;')).toEqual([]);
    expect(said('const a = <input name="Kind" />;')).toEqual([]);
  });

  it('sees a text of a member or a function that is named as one', () => {
    expect(said("const a = { verb: 'pause', words: 'Pause' };")).toEqual(['"Pause"']);
    expect(said("function retryWords(n) { return n === 1 ? 'once' : `${n} times`; }")).toHaveLength(
      2,
    );
    expect(said('const titleOf = (n) => `case ${n}`;')).toEqual(['"case "']);
    expect(said('function keyOf(n) { return `case ${n}`; }')).toEqual([]);
  });

  it('sees a sentence wherever it stands', () => {
    expect(said("const a = ['The task stops.'];")).toEqual(['"The task stops."']);
    expect(said('const a = plain(`${step} stays as it is.`);')).toHaveLength(1);
    expect(said("const a = cut('Roll back');")).toEqual(['"Roll back"']);
    expect(said("const a = ask('schedule nightly', '1px solid', 'X-Backstep.');")).toEqual([]);
  });

  it('is about the console, and neither its words nor its specs', () => {
    const text = 'const a = <p>Hello</p>;';
    for (const file of ['words.ts', 'words/task.ts', 'pages/a.spec.ts']) {
      expect(said(text, `apps/console/src/${file}`)).toEqual([]);
    }
    expect(said(text, 'libs/a/src/b.tsx')).toEqual([]);
  });
});
