import { expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { parse, type ParseError } from 'jsonc-parser';
import { type Fields, stepNames } from '#kinds';
import { addStep, isGraph, moveStep, readSteps, removeStep, sayNeeds } from './step-edit.js';

const LIST = ['steps'];
const NEW = { name: 'new', normal: { module: 'lab', command: 'sleep' }, rollback: null };
let notes = 0;

/** Space and comments that may stand between two tokens; each comment is there once. */
const space = fc
  .array(fc.constantFrom(' ', '\n', '\n  ', '\n\n', '/**/', '//\n', ' //\n  ', '/*\n*/'), {
    maxLength: 4,
  })
  .map((parts) => parts.join('').replace(/\/\*(\n?)\*\/|\/\//g, note));

function note(kind: string, breaks = ''): string {
  notes += 1;
  return kind.startsWith('//') ? `//n${notes}.` : `/*n${notes}.${breaks}*/`;
}

const step = fc.record({
  name: fc.constantFrom(undefined, 'a', 'b', 's-2', 'c'),
  needs: fc.constantFrom(undefined, [], [0], [1], [0, 1]),
  command: fc.constantFrom('s', 't'),
});

/** The text of a flow: steps that may have names, need others by place, and be noted upon. */
const flow = fc
  .record({
    steps: fc.uniqueArray(step, {
      minLength: 1,
      maxLength: 6,
      selector: ({ name }) => name ?? Symbol('none'),
    }),
    spaces: fc.array(space, { minLength: 14, maxLength: 14 }),
    hasTrailing: fc.boolean(),
    eol: fc.constantFrom('\n', '\r\n'),
  })
  .map(({ eol, hasTrailing, spaces, steps }) => {
    const bare = steps.map(({ command, name }) => ({ name, normal: { command } }));
    const names = stepNames(bare);
    const written = steps.map(({ needs }, place) => {
      const known = needs?.filter((need) => need < place).map((need) => names[need]);
      const body = JSON.stringify({ ...bare[place], needs: known });
      const comma = hasTrailing || place < steps.length - 1 ? ',' : '';
      return `${spaces[2 * place]}${body}${spaces[2 * place + 1]}${comma}`;
    });
    return `{ "steps": [${written.join('')}${spaces[12]}]${spaces[13]}}`.replaceAll('\n', eol);
  });

/** The names that each step comes after, by its own name. */
function meaningOf(steps: readonly Fields[]): Readonly<Record<string, readonly unknown[]>> {
  const names = stepNames(steps);
  const needs = steps.map((one, place) => {
    if (!isGraph(steps)) return names.slice(Math.max(0, place - 1), place);
    return [...((one['needs'] ?? []) as readonly string[])].sort();
  });
  return Object.fromEntries(names.map((name, place) => [name, needs[place] ?? []]));
}

function expectSound(text: string, before: string): void {
  const errors: ParseError[] = [];
  parse(text, errors, { allowTrailingComma: true });
  expect({ text, errors }).toEqual({ text, errors: [] });
  if (before.includes('\r\n')) expect(text).not.toMatch(/[^\r]\n/);
}

const notesOf = (text: string): readonly string[] => (text.match(/n\d+\./g) ?? []).sort();

it('adds a step: nothing else changes, and every comment is kept', () => {
  fc.assert(
    fc.property(flow, fc.nat(), (text, at) => {
      const before = readSteps(text, LIST);
      const place = (at % (before.length + 1)) - 1;
      const added = addStep(text, [...LIST, place], NEW);
      expectSound(added, text);
      expect(notesOf(added)).toEqual(notesOf(text));
      const after = readSteps(added, LIST);
      const old = stepNames(before);
      expect(stepNames(after)).toEqual(old.toSpliced(place + 1, 0, 'new'));
      const [was, is] = [meaningOf(before), meaningOf(after)];
      if (isGraph(before)) expect(is).toEqual({ ...was, new: place < 0 ? [] : [old[place]] });
    }),
  );
});

it('takes a step away: the others keep their names and their order', () => {
  fc.assert(
    fc.property(flow, fc.nat(), (text, at) => {
      const before = readSteps(text, LIST);
      const place = at % before.length;
      const removed = removeStep(text, [...LIST, place]);
      expectSound(removed, text);
      const after = readSteps(removed, LIST);
      const names = stepNames(before);
      const gone = names[place] ?? '';
      expect(stepNames(after)).toEqual(names.toSpliced(place, 1));
      const was = meaningOf(before);
      const expected = Object.entries(was)
        .filter(([name]) => name !== gone)
        .map(([name, needs]) => {
          const mended = needs.flatMap((need) => (need === gone ? (was[gone] ?? []) : [need]));
          return [name, [...new Set(mended.map(String))].sort()];
        });
      expect(meaningOf(after)).toEqual(Object.fromEntries(expected));
    }),
  );
});

it('moves a step there and back: every comment is kept', () => {
  fc.assert(
    fc.property(flow, fc.nat(), (text, at) => {
      const before = readSteps(text, LIST);
      fc.pre(before.length > 1);
      const place = at % (before.length - 1);
      const moved = moveStep(text, [...LIST, place], 1);
      expectSound(moved, text);
      expect(notesOf(moved)).toEqual(notesOf(text));
      const names = stepNames(before);
      const [first = '', second = ''] = names.slice(place);
      expect(stepNames(readSteps(moved, LIST))).toEqual(names.toSpliced(place, 2, second, first));
      const back = moveStep(moved, [...LIST, place + 1], -1);
      expectSound(back, text);
      expect(notesOf(back)).toEqual(notesOf(text));
      expect(meaningOf(readSteps(back, LIST))).toEqual(meaningOf(before));
    }),
  );
});

it('says the needs of a chain: it means the same', () => {
  fc.assert(
    fc.property(flow, (text) => {
      const before = readSteps(text, LIST);
      fc.pre(!isGraph(before));
      const said = sayNeeds(text, LIST);
      expectSound(said, text);
      expect(notesOf(said)).toEqual(notesOf(text));
      expect(meaningOf(readSteps(said, LIST))).toEqual(meaningOf(before));
    }),
  );
});
