/** `npm run docs`: makes the generated parts of the pages anew, and the types of the HTTP API. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { renewed } from './generated.js';
import { API_TYPES, apiTypes } from './api-types.js';
import { readPage, readPages, REPOSITORY } from './pages.js';

for (const { path: name, text } of readPages()) write(name, text, renewed(text));
write(API_TYPES, readPage(API_TYPES).text, await apiTypes());

function write(name: string, text: string, next: string): void {
  if (next === text) return;
  writeFileSync(path.join(REPOSITORY, name), next);
  console.log(`${name} written`);
}
