/**
 * `npm run audit`: asks the registry for advisories about what the product is shipped with. Exit
 * code 0: none; 1: some; 2: it could not be asked, so nothing is known. Not a part of the gate,
 * which must not depend on a network.
 */
import { spawnSync } from 'node:child_process';

interface Advised {
  readonly severity: string;
  readonly range: string;
  /** Names of packages that bring it, and advisories. */
  readonly via: readonly (string | { readonly title: string })[];
}

/** The members of npm's report that are read; an error has the others. */
interface Report {
  readonly metadata?: { readonly vulnerabilities?: { readonly total?: number } };
  readonly vulnerabilities?: Readonly<Record<string, Advised>>;
  readonly message?: string;
  readonly error?: { readonly summary?: string };
}

const args = ['audit', '--omit=dev', '--json', '--loglevel=silent'];
const { stdout } = spawnSync('npm', args, {
  encoding: 'utf8',
  shell: process.platform === 'win32',
});
const report = read(stdout);
const total = report?.metadata?.vulnerabilities?.total;
if (total === undefined) {
  console.error(`audit: the registry gave no advisories: ${reasonOf(report)}`);
  process.exit(2);
}
for (const [name, { severity, range, via }] of Object.entries(report?.vulnerabilities ?? {})) {
  const titles = via.map((cause) => (typeof cause === 'string' ? cause : cause.title));
  console.log(`${severity}  ${name} ${range}  ${titles.join('; ')}`);
}
console.log(`audit: ${total} advisories`);
process.exit(total === 0 ? 0 : 1);

function read(text: string): Report | null {
  try {
    return JSON.parse(text) as Report;
  } catch {
    return null;
  }
}

function reasonOf(asked: Report | null): string {
  return asked?.message ?? asked?.error?.summary ?? 'no answer';
}
