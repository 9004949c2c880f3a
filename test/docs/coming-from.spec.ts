import { describe, expect, it } from '@jest/globals';
import type { FlowDefinition, JsonObject } from '#core';
import { actionsIn } from '#core/flow';
import { parseFlowFile, validateFlowText } from '#flow-files';
import { importFlow, type Source } from '#workshop/import';
import { type CodeBlock, codeBlocks } from './markdown.js';
import { readPage } from './pages.js';

const { text } = readPage('docs/coming-from.md');
const [, part = ''] = /^## The same flow$([\s\S]*?)^## /m.exec(text) ?? [];

/** The blocks below the heading of a system, up to the next one; empty: before all of them. */
function blocksOf(system: string): readonly CodeBlock[] {
  const sections = part.split(/^### /m);
  const own = system === '' ? sections[0] : sections.find((each) => each.startsWith(system));
  return codeBlocks(own ?? '');
}

function isFlow({ language, text: code }: CodeBlock): boolean {
  return language === 'json' && code.includes('"normal": {');
}

const SYSTEMS = ['Step Functions', 'Conductor', 'Temporal', 'TaskFlow'];
const FLOWS = ['', ...SYSTEMS].flatMap((system) =>
  blocksOf(system)
    .filter(isFlow)
    .map((block) => [system || 'all of them', block.text] as const),
);

/** The calls of the way forward, in their order: step, command and parameters. */
function wayOf({ steps }: FlowDefinition): readonly unknown[] {
  return steps.map((step) => {
    const { command, parameters } = actionsIn([step])[0] ?? {};
    return [step.name, command, Object.keys(parameters ?? {})];
  });
}

const WAY = [
  ['Reserve', 'effect', ['name']],
  ['Pay', 'succeed', ['amount']],
];

describe('the same flow side by side', () => {
  it.each(SYSTEMS)('is shown as %s has it, and as it is here', (system) => {
    const blocks = blocksOf(system);
    expect(blocks.filter((block) => !isFlow(block))).toHaveLength(1);
    expect(blocks.filter(isFlow)).toHaveLength(1);
  });

  it.each(FLOWS)('has neither problems nor warnings here, beside %s', (_, flow) => {
    expect(validateFlowText(flow)).toEqual({ valid: true, problems: [], warnings: [] });
  });

  it.each(FLOWS)('does the same here, beside %s', (_, flow) => {
    const [first] = parseFlowFile(flow).flows;
    expect(wayOf(first!.definition)).toEqual(WAY);
  });

  it.each<[Source, string]>([
    ['asl', 'Step Functions'],
    ['conductor', 'Conductor'],
  ])('is what the import makes of it: %s', (from, system) => {
    const [source] = blocksOf(system).filter((block) => !isFlow(block));
    const [, heredoc = source!.text] = /<<'END'\n([\s\S]*?)\nEND$/m.exec(source!.text) ?? [];
    const definition = JSON.parse(heredoc) as JsonObject;
    const { flow } = importFlow({ from, definition, name: 'order', module: 'lab' });
    const [made] = parseFlowFile(JSON.stringify(flow)).flows;
    expect(wayOf(made!.definition)).toEqual(WAY);
  });
});
