import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { acceptedEncodings } from '#http-server';

/** One form in which a file can be sent. */
interface Form {
  /** As `Content-Encoding` names it; null: as it is. */
  readonly encoding: 'br' | 'gzip' | null;
  readonly tag: string;
  readonly bytes: Buffer;
}

/** A file of the console, in memory. */
export interface ConsoleFile {
  readonly type: string;
  /** Whether its name changes with its content, so that a browser may keep it for good. */
  readonly isImmutable: boolean;
  readonly forms: readonly Form[];
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
};

/** Encodings with the ending of the files that hold them, the smallest first. */
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/** The built files of the console: a few hundred kilobytes, read once. */
export class ConsoleFiles {
  private constructor(private readonly files: ReadonlyMap<string, ConsoleFile>) {}

  /** Reads a folder; null where no console was built there. */
  static read(folder: string): ConsoleFiles | null {
    if (!existsSync(path.join(folder, 'index.html'))) return null;
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    const files = names.flatMap((name): [string, ConsoleFile][] => {
      const type = TYPES[path.extname(name)];
      if (type === undefined) return [];
      const key = name.split(path.sep).join('/');
      return [[key, readFile(path.join(folder, name), type, key.startsWith('assets/'))]];
    });
    return new ConsoleFiles(new Map(files));
  }

  /** The page that every address of the console begins with. */
  get page(): ConsoleFile | undefined {
    return this.files.get('index.html');
  }

  /** A file by its path below `/console/`; undefined where there is none. */
  find(name: string): ConsoleFile | undefined {
    return this.files.get(name);
  }

  /** Every path below `/console/` that is a file. */
  names(): readonly string[] {
    return [...this.files.keys()];
  }
}

/** The best form of a file that a client takes, by its `Accept-Encoding`. */
export function formFor({ forms }: ConsoleFile, accepted = ''): Form {
  const taken = acceptedEncodings(accepted);
  const plain = forms.find(({ encoding }) => encoding === null) as Form;
  return forms.find(({ encoding }) => encoding !== null && taken.has(encoding)) ?? plain;
}

function readFile(file: string, type: string, isImmutable: boolean): ConsoleFile {
  const bytes = readFileSync(file);
  const tag = hash('sha256', bytes, 'base64url').slice(0, 22);
  const packed = ENCODINGS.flatMap(([encoding, ending]): Form[] => {
    const beside = `${file}${ending}`;
    if (!existsSync(beside)) return [];
    return [{ encoding, tag: `"${tag}-${encoding}"`, bytes: readFileSync(beside) }];
  });
  return { type, isImmutable, forms: [...packed, { encoding: null, tag: `"${tag}"`, bytes }] };
}
