/** Builds the console, `apps/console`, into static files of `dist/apps/console`. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build } from 'vite';
import { makeAside } from './made-aside.mjs';

const CONFIG = fileURLToPath(new URL('../apps/console/vite.config.mjs', import.meta.url));
const PACKED = /\.(css|html|js|json|svg|txt)$/;
/** Smaller files fit one packet as they are. */
const PACKED_BYTES_MIN = 1_024;
const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } };

process.env.NODE_ENV = 'production'; // Tests have another.
await makeAside('apps/console', async (outDir) => {
  await build({ configFile: CONFIG, logLevel: 'error', build: { outDir, emptyOutDir: true } });
  const files = await readdir(outDir, { recursive: true });
  const packed = files.filter((file) => PACKED.test(file)).map((file) => path.join(outDir, file));
  await Promise.all(packed.map(pack));
});

/** Compressed once here, and not for every request. */
async function pack(file) {
  const bytes = await readFile(file);
  if (bytes.length < PACKED_BYTES_MIN) return;
  await writeFile(`${file}.br`, await promisify(brotliCompress)(bytes, QUALITY));
  await writeFile(`${file}.gz`, await promisify(gzip)(bytes, { level: 9 }));
}
