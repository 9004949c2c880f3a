/**
 * Which part of the long tests a run plays. The number changes with the code of the product, so
 * that each change is tried by others, and the same code always by the same: a failure repeats
 * until it is mended.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

const PRODUCT = ['apps', 'libs', 'workshop'];
const SPEC = /[.-]spec\.tsx?$/;

/** A whole number from 0 on, for the product in the repository `root`. */
export async function turnOfProduct(root: string): Promise<number> {
  const lists = await Promise.all(PRODUCT.map((folder) => sourcesOf(root, folder)));
  const hash = createHash('sha256');
  for (const file of lists.flat()) hash.update(await readFile(path.join(root, file)));
  return hash.digest().readUInt32BE();
}

async function sourcesOf(root: string, folder: string): Promise<readonly string[]> {
  const files = await readdir(path.join(root, folder), { recursive: true });
  const isSource = (file: string): boolean =>
    /\.(css|html|json|tsx?)$/.test(file) && !SPEC.test(file);
  return files
    .filter(isSource)
    .map((file) => path.join(folder, file))
    .toSorted();
}
