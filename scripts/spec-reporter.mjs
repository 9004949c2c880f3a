/**
 * A reporter of jest for parts that run side by side: it tells of each spec when it has ended, with
 * all of its failures, in one print.
 */
import path from 'node:path';

export default class SpecReporter {
  onTestResult({ context, path: file }, { failureMessage, perfStats }) {
    const { displayName, rootDir } = context.config;
    const seconds = Math.round((perfStats.end - perfStats.start) / 1_000);
    const about = `${displayName.name} ${path.relative(rootDir, file)} (${seconds} s)\n`;
    process.stdout.write(failureMessage ? `FAIL ${about}${failureMessage}\n` : `PASS ${about}`);
  }
}
