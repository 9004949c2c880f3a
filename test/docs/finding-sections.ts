import { FINDING_HELP, PROBLEM_CODES, type ProblemCode } from '#flow-files';
import { table } from './table.js';

const CODES = Object.keys(PROBLEM_CODES) as ProblemCode[];

/** A row for each code, which leads to its section. */
export function findingTable(): string {
  const rows = CODES.map((code) => {
    return [`[\`${code}\`](findings.md#${code.toLowerCase()})`, PROBLEM_CODES[code]];
  });
  return table(['code', 'meaning'], rows);
}

/** A section for each code: what it means, how to mend it, and a file before and after. */
export function findingSections(): string {
  return CODES.map(section).join('\n\n');
}

function section(code: ProblemCode): string {
  const { cure, example, report } = FINDING_HELP[code];
  const words = [`## ${code}`, PROBLEM_CODES[code], cure];
  if (report !== null) {
    words.push(`If ${report.when}:`, `\`\`\`text\n${report.line}\n\`\`\``);
  }
  if (example === null) return words.join('\n\n');
  return [...words, block(example.wrong), 'The same, mended:', block(example.mended)].join('\n\n');
}

/** The first file of a pair may be no JSON at all, so that neither is checked as a file of ours. */
function block(text: string): string {
  return `\`\`\`js\n${text}\n\`\`\``;
}
