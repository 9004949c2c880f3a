import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { type Browser, chromium } from 'playwright-core';

const FOLDERS = (process.env['PATH'] ?? '').split(path.delimiter);
const PROGRAM = ['chromium', 'chromium-browser', 'google-chrome']
  .flatMap((name) => FOLDERS.map((folder) => path.join(folder, name)))
  .find(isProgram);

/** Without these a browser asks for updates and the like of hosts that are not there. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Whether there is a browser to start. */
export const HAS_BROWSER = PROGRAM !== undefined;

/** Starts a real browser without a window, with a profile of its own. */
export function openBrowser(): Promise<Browser> {
  if (PROGRAM === undefined) throw new Error('there is no Chromium');
  return chromium.launch({ executablePath: PROGRAM, args: FLAGS });
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
