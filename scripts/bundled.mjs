/** The parts of dist/ that a bundler makes whole: what they are made of, and their programs. */
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { hashFiles, writeWhole } from './compile.mjs';

/**
 * @param {string} root The repository.
 * @param {string} state The file that has the stamp of what was made last, from there.
 * @param {() => Promise<{makers: readonly string[], sources?: readonly string[]}>} parts Files that
 * decide by their contents what is made, and sources, whose time and size are enough.
 */
export function bundled(root, state, parts) {
  const stampOf = async () => {
    const { makers, sources = [] } = await parts();
    const hash = await hashFiles(root, makers);
    for (const file of sources) {
      const { mtimeMs, size } = await stat(path.join(root, file));
      hash.update(`${file}:${mtimeMs}:${size}\n`);
    }
    return hash.digest('hex');
  };
  return {
    /** Whether what was made last is what would be made now. */
    isFresh: async () => {
      const known = await readFile(path.join(root, state), 'utf8').catch(() => '');
      return known !== '' && known === (await stampOf());
    },
    /** Makes it, where the file of `url` is the program that runs. */
    runAsProgram: async (url, make) => {
      if (process.argv[1] !== fileURLToPath(url)) return;
      try {
        const stamp = await stampOf();
        await make();
        await writeWhole(path.join(root, state), stamp);
      } catch (error) {
        console.error(error.message);
        process.exitCode = 1;
      }
    },
  };
}
