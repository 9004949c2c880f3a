import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { validateFlowText } from '../parse-flow-file.js';
import { PROBLEM_CODES, type ProblemCode } from '../problem.js';
import { SOUND, WARNED, WRONG } from './wrong-flows-spec.js';

/**
 * Problems that concern a folder, several files, or a list of problems: their own specs prove
 * these.
 */
const NOT_OF_ONE_TEXT: readonly ProblemCode[] = [
  'FOLDER_NOT_READABLE',
  'FILE_NOT_READABLE',
  'FILE_OUTSIDE_FOLDER',
  'NOT_UTF8',
  'DUPLICATE_FLOW',
  'TOO_MANY_PROBLEMS',
];

const ROOT = new URL('../../../../', import.meta.url);

/** The files that are shipped: flows, and those of projects that `backstep init` writes. */
const FILES = ['flow-configs', 'templates', 'examples'].flatMap((folder) =>
  readdirSync(new URL(folder, ROOT), { recursive: true, encoding: 'utf8' })
    .filter((file) => /flow-configs?\/|flows?\/|^[^/]+$/.test(file))
    .filter(
      (file) => /(?<!\.test)\.jsonc?$/.test(file) && !/package|tsconfig|node_modules/.test(file),
    )
    .map((file) => `${folder}/${file}`),
);

describe('the doctor', () => {
  it('has a wrong definition for every code that one text can have', () => {
    const codes = new Set([...WRONG, ...WARNED].map(({ code }) => code));
    const missing = Object.keys(PROBLEM_CODES).filter((code) => !codes.has(code as ProblemCode));
    expect(missing).toEqual(NOT_OF_ONE_TEXT);
    expect(WRONG.length + WARNED.length).toBeGreaterThanOrEqual(50);
  });

  it.each(WRONG)('finds $code at "$pointer"', ({ code, known, pointer, text }) => {
    const { problems } = validateFlowText(text, known);
    expect(problems.map((found) => [found.code, found.pointer])).toContainEqual([code, pointer]);
  });

  it.each(WARNED)('warns of $code at "$pointer"', ({ code, known, pointer, text }) => {
    const { problems, warnings } = validateFlowText(text, known);
    expect(problems).toEqual([]);
    expect(warnings.map((found) => [found.code, found.pointer])).toContainEqual([code, pointer]);
  });

  it.each(SOUND)('has nothing to say of %s', (text) => {
    expect(validateFlowText(text)).toEqual({ valid: true, problems: [], warnings: [] });
  });

  it.each(FILES)('has nothing to say of %s', (file) => {
    const found = validateFlowText(readFileSync(new URL(file, ROOT), 'utf8'));
    expect(found).toEqual({ valid: true, problems: [], warnings: [] });
  });

  it('is held to thirty sound definitions and more', () => {
    expect(SOUND.length + FILES.length).toBeGreaterThanOrEqual(30);
  });
});
