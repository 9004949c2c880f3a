/**
 * The summary at the end of a test run: how long each part and the slowest specs took, and how to
 * repeat the failures.
 */
const SLOWEST = 10;

/**
 * A spec has the names of the tests that failed; a flaky one those that failed in its first try. A
 * part has the number of failures outside of its specs, and is skipped as a whole or not.
 *
 * @typedef {{project: string, path: string, seconds: number, passed: number, skipped: number,
 *   failed: readonly string[], flaky?: readonly string[]}} Spec
 * @typedef {{label: string, seconds: number, specs: readonly Spec[], failed: number,
 *   skipped?: number}} Part
 */

/** @param {readonly Part[]} parts */
export function countsOf(parts) {
  const specs = parts.flatMap((part) => part.specs);
  const total = (all, of) => all.reduce((sum, one) => sum + of(one), 0);
  return {
    passed: total(specs, ({ passed }) => passed),
    failed: total(parts, (part) => part.failed) + total(specs, ({ failed }) => failed.length),
    skipped: total(parts, ({ skipped = 0 }) => skipped) + total(specs, ({ skipped }) => skipped),
  };
}

/**
 * @param {readonly Part[]} parts In the order in which they ended.
 * @param {number} seconds Of the whole run: less than all parts where they ran side by side.
 * @returns {readonly string[]} Lines.
 */
export function summaryOf(parts, seconds) {
  const specs = parts.flatMap((part) => part.specs);
  return [
    `${whole(seconds)} s in all`,
    ...(parts.length > 1 ? parts.map((part) => line(part.seconds, part.label)) : []),
    ...slowest(specs),
    ...flaky(specs),
    ...repeats(parts),
  ];
}

/** A flaky spec is a defect, of itself or of the product: a green run does not hide it. */
function flaky(specs) {
  const passedLater = specs.filter((spec) => spec.flaky !== undefined);
  if (passedLater.length === 0) return [];
  return [
    'flaky, passed in their second try:',
    ...passedLater.flatMap(({ flaky: names, path, project }) => listed(project, path, names)),
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
    return [
      ...broken.flatMap(({ failed: names, path, project }) => listed(project, path, names)),
      ...(failed > 0 ? [`  npm test -- ${label.split(' ')[0]}`] : []),
    ];
  });
  return lines.length === 0 ? [] : ['failed, each with the command that repeats it:', ...lines];
}

function listed(project, path, names) {
  return [`  npm test -- ${project} ${path}`, ...names.map((name) => `    ${name}`)];
}

function line(seconds, text) {
  return `${whole(seconds).padStart(6)} s  ${text}`;
}

function whole(seconds) {
  return seconds.toFixed(seconds < 10 ? 1 : 0);
}
