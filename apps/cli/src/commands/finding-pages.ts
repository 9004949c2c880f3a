import { existsSync } from 'node:fs';
import path from 'node:path';
import { findingType, type ProblemCode } from '#flow-files';
import { PACKAGE } from '../init/package-source.js';
import { socketIn } from '../client/backstep-url.js';
import type { Session } from '../session.js';

/** Says where the example of a code is, and the same mended; null: there is no such place. */
type PageOf = ((code: ProblemCode) => string) | null;

/** The page of all codes, which a clone has and an installed package has not. */
const PAGE = path.join(PACKAGE, 'docs/findings.md');

/** The places of the codes: at the gateway that answered, else in the clone that runs. */
export function findingPages(session: Session, isAnswered: boolean, page = PAGE): PageOf {
  const { options, terminal } = session;
  if (isAnswered && socketIn(options.url) === null)
    return (code) => `${options.url.replace(/\/$/, '')}${findingType(code)}`;
  if (!existsSync(page)) return null;
  const near = path.relative(terminal.cwd, page);
  const file = near.startsWith('..') ? page : near;
  // Headings of Markdown are reached by their text in small letters.
  return (code) => `${file}#${code.toLowerCase()}`;
}

/** Leads a reader to each code of some findings, once. */
export function sayPages(
  session: Session,
  findings: readonly { readonly code: ProblemCode }[],
  pageOf: PageOf,
): void {
  const codes = [...new Set(findings.map(({ code }) => code))].toSorted();
  if (codes.length === 0) return;
  if (pageOf === null) {
    session.say('A running Backstep shows each code mended: <url>/docs/findings#<code>');
    return;
  }
  session.say('Each code with an example, and the same mended:');
  codes.forEach((code) => session.say(`  ${pageOf(code)}`));
}
