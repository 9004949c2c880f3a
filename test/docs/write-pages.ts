/** `npm run docs`: writes the generated parts of the pages, and the types of the HTTP API. */
import 'reflect-metadata';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { renewed } from './generated.js';
import { API_TYPES, apiTypes } from './api-types.js';
import { figurePlots } from './figure-plots.js';
import { readPage, readPages, REPOSITORY } from './pages.js';

for (const { path: name, text } of readPages()) write(name, text, renewed(text));
write(API_TYPES, readPage(API_TYPES).text, await apiTypes());
for (const [name, plot] of figurePlots()) write(name, textOf(name), plot);

function write(name: string, text: string, next: string): void {
  if (next === text) return;
  const file = path.join(REPOSITORY, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, next);
  console.log(`${name} written`);
}

function textOf(name: string): string {
  const file = path.join(REPOSITORY, name);
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}
