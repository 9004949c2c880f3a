/** `npm run docs`: makes the generated parts of the pages anew. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { renewed } from './generated.js';
import { readPages, REPOSITORY } from './pages.js';

for (const { path: name, text } of readPages()) {
  const next = renewed(text);
  if (next === text) continue;
  writeFileSync(path.join(REPOSITORY, name), next);
  console.log(`${name} written`);
}
