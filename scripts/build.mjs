/** `npm run build`: installs what is missing and builds what is stale. */
import { ready } from './ready.mjs';

const started = performance.now();
try {
  const { built, removed } = await ready();
  const ms = Math.round(performance.now() - started);
  console.log(`${built} built, ${removed} removed, ${ms} ms`);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
