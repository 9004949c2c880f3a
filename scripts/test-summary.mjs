/**
 * What a run of the tests tells at its end: how long each part and the slowest specs took, and how
 * to repeat what failed.
 */
const SLOWEST = 10;

/**
 * @typedef {{project: string, path: string, seconds: number, failed: readonly string[]}} Spec
 * @typedef {{label: string, seconds: number, specs: readonly Spec[], failed: number}} Part
 */

/**
 * @param {readonly Part[]} parts In the order in which they ended.
 * @param {number} seconds Of the whole run: less than all parts where they ran side by side.
 * @returns {readonly string[]} Lines.
 */
export function summaryOf(parts, seconds) {
  const specs = parts.flatMap((part) => part.specs);
  return [
    `${whole(seconds)} s in all`,
    ...(parts.length > 1 ? parts.map(({ label, seconds: own }) => line(own, label)) : []),
    ...slowest(specs),
    ...repeats(parts),
  ];
}

function slowest(specs) {
  if (specs.length <= 1) return [];
  const first = [...specs].sort((a, b) => b.seconds - a.seconds).slice(0, SLOWEST);
  return [
    'slowest specs:',
    ...first.map(({ path, project, seconds }) => line(seconds, `${project} ${path}`)),
  ];
}

/** One command for each spec with a failure, below it what failed; seeds stand in the failures. */
function repeats(parts) {
  const lines = parts.flatMap(({ failed, label, specs }) => {
    const broken = specs.filter((spec) => spec.failed.length > 0);
    if (broken.length === 0) return failed > 0 ? [`  npm test -- ${label.split(' ')[0]}`] : [];
    return broken.flatMap(({ failed: names, path, project }) => [
      `  npm test -- ${project} ${path}`,
      ...names.map((name) => `    ${name}`),
    ]);
  });
  return lines.length === 0 ? [] : ['failed, each with the command that repeats it:', ...lines];
}

function line(seconds, text) {
  return `${whole(seconds).padStart(6)} s  ${text}`;
}

function whole(seconds) {
  return seconds.toFixed(seconds < 10 ? 1 : 0);
}
