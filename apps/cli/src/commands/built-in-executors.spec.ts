import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { declaredCommands } from '#executor';
import { knownCommandsOf, validateFlowText } from '#flow-files';
import { codeBlocks } from '../../../../test/docs/markdown.js';
import { readPages, REPOSITORY } from '../../../../test/docs/pages.js';
import { BUILT_IN_EXECUTORS } from './built-in-executors.js';

const declared = declaredCommands(BUILT_IN_EXECUTORS);
const commands = { ...knownCommandsOf(declared), hasOthers: true };

const folder = path.join(REPOSITORY, 'flow-configs');
const files = readdirSync(folder).filter((file) => /(?<!\.test)\.jsonc?$/.test(file));
const shipped = files.map((file) => [file, readFileSync(path.join(folder, file), 'utf8')] as const);

const shown = readPages().flatMap((page) => {
  const blocks = codeBlocks(page.text).filter(({ language }) => /^jsonc?$/.test(language));
  const flows = blocks.filter(({ text }) => validateFlowText(text).valid);
  return flows.map(({ line, text }) => [`${page.path}:${line}`, text] as const);
});

it('declare the commands of all modules of Backstep, with what they require', () => {
  expect(declared.modules().toSorted()).toEqual(['http', 'lab', 'monitor', 'mysql', 'resource']);
  expect(declared.parametersOf('lab', 'hang')).toMatchObject({ required: ['ms'] });
  expect(declared.parametersOf('lab', 'succeed')).toBeNull();
});

it('are known beside flows to look at', () => {
  expect(shipped.length).toBeGreaterThan(3);
  expect(shown.length).toBeGreaterThan(20);
});

it.each([...shipped, ...shown])('get what they require in the flows of %s', (_, text) => {
  const { problems, warnings } = validateFlowText(text, { commands });
  expect(problems).toEqual([]);
  expect(warnings.filter(({ code }) => code === 'UNCERTAIN_PARAMETER')).toEqual([]);
});
