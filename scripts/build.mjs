/** `npm run build`: installs what is missing and builds what is stale. */
import { ready } from './ready.mjs';

const started = performance.now();
try {
  const built = await ready();
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  console.log(`built: ${built.join(', ') || 'nothing'} (${seconds} s)`);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
