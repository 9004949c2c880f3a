import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileText } from '#json';
import { type KnownCommands, type ParsedFlow, parseFlowFile } from '#flow-files';
import { plainLine } from '#wording';
import { type TestFiles, UnusableFile } from './read-scenarios.js';

/** A flow of a file, and where its scenarios may be. */
export interface FoundFlow extends ParsedFlow {
  readonly testFiles: TestFiles;
  /** The file, as it was named. */
  readonly file: string;
}

/** Where a flow file is looked for, and the commands that are known. */
interface FlowSource {
  readonly cwd: string;
  /** Absent: commands and their parameters are not looked at. */
  readonly commands?: KnownCommands;
}

/** The flows of a file. Throws `UnusableFile` with a line for each mistake. */
export async function readFlows(
  file: string,
  { commands, cwd }: FlowSource,
): Promise<readonly FoundFlow[]> {
  const at = path.resolve(cwd, file);
  const reading = readFile(at).then(fileText);
  const text = await reading.catch((error: NodeJS.ErrnoException) => {
    throw new UnusableFile(`${file} cannot be read: ${error.code}`);
  });
  const { flows, problems } = parseFlowFile(text, { commands });
  if (problems.length > 0) {
    const lines = problems.map(({ code, column, line, message }) => {
      return `${file}:${line}:${column} ${code} ${plainLine(message)}`;
    });
    throw new UnusableFile(lines.join('\n'));
  }
  const beside = (name: string): string => path.join(path.dirname(at), `${name}.test.json`);
  const ofFile = beside(path.basename(at).replace(/\.jsonc?$/, ''));
  const inFile = flows.map(({ definition }) => definition.name);
  return flows.map((flow) => {
    return { ...flow, file, testFiles: { ofFile, ofFlow: beside(flow.definition.name), inFile } };
  });
}
