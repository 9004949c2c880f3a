// Loaded before a process's own code. Packages of OpenTelemetry are CommonJS, so that all of them
// that are loaded are among these, however they are imported.
const { writeFileSync } = require('node:fs');

process.on('exit', () => {
  const file = process.env.BACKSTEP_TEST_LOADED_FILE;
  if (!file) return;
  const all = Object.entries(require.cache);
  const listed = all.map(([name, found]) => ({ name, by: found.parent?.filename ?? null }));
  writeFileSync(file, JSON.stringify(listed));
});
