import { readFile, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { REPOSITORY } from '../places.js';
import type { Result } from '../results.js';
import { cellsOf } from './table.js';

const FILE = path.join(REPOSITORY, 'docs', 'performance.md');
const BEGIN = '<!-- figures: written by `npm run bench -- --write-docs` -->';
const END = '<!-- end of figures -->';

/** Puts the figures, with the day and the machine, into the page on performance. */
export async function writeDocs(results: readonly Result[]): Promise<void> {
  const text = await readFile(FILE, 'utf8');
  const begin = text.indexOf(BEGIN);
  const end = text.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`${FILE} has no place for figures`);
  const figures = [machineText(), ...tables(results)].join('\n\n');
  const before = text.slice(0, begin + BEGIN.length);
  await writeFile(FILE, `${before}\n\n${figures}\n\n${text.slice(end)}`);
}

function machineText(): string {
  const cpus = os.cpus();
  const memory = Math.round(os.totalmem() / 2 ** 30);
  const day = new Date().toISOString().slice(0, 10);
  const model = cpus[0]?.model.trim() ?? 'unknown processor';
  const system = `${os.type()} ${os.arch()}, Node ${process.versions.node}`;
  return `Measured on ${day}: ${cpus.length} cores (${model}), ${memory} GiB, ${system}.`;
}

function tables(results: readonly Result[]): readonly string[] {
  return (['standalone', 'distributed'] as const).flatMap((deployment) => {
    const own = results.filter((result) => result.deployment === deployment);
    return own.length === 0 ? [] : [`### ${capitalised(deployment)}`, markdown(own)];
  });
}

function markdown(results: readonly Result[]): string {
  const head = ['', 'ours', 'min .. max', 'beside', 'ratio', 'goal', ''];
  const rows = [head, head.map(() => '---'), ...results.map(cellsOf)];
  return rows.map((row) => `| ${row.join(' | ')} |`).join('\n');
}

function capitalised(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
