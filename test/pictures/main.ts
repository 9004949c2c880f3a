/**
 * `npm run pictures [-- <name>...]`: takes the pictures of docs/pictures, or those named, from a
 * Backstep that it starts.
 */
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { openBrowser } from '../browser/chromium.js';
import { Visitor } from '../browser/visitor.js';
import { Api } from '../load/api.js';
import { planStandalone, REPOSITORY } from '../stack/index.js';
import { writeFlows } from '../trial/inputs.js';
import { PICTURED_FLOWS } from './flows.js';
import { PICTURES, type Picture } from './pictures.js';
import { type PicturedTasks, startTasks } from './tasks.js';

/** One host with room for two instances of the database flow. */
const HOSTS = [{ host: 'host-1', cpu: 8, memory: 16, storage: 1_000 }];
const FOLDER = path.join(REPOSITORY, 'docs', 'pictures');
/** Of WebP, from 0 to 100: letters stay sharp. */
const QUALITY = 82;

const folder = await mkdtemp(path.join(os.tmpdir(), 'backstep-pictures-'));
const hosts = path.join(folder, 'hosts.json');
await writeFile(hosts, JSON.stringify(HOSTS));
const flows = await writeFlows(folder, PICTURED_FLOWS);
const backstep = await planStandalone({ folder, settings: { flows, resourceHosts: hosts } });
const browser = await openBrowser();
try {
  await backstep.start();
  await mkdir(FOLDER, { recursive: true });
  const tasks = await startTasks(new Api(backstep.url));
  const names = process.argv.slice(2);
  for (const picture of PICTURES) {
    if (names.length > 0 && !names.includes(picture.name)) continue;
    for (const theme of picture.themes ?? (['light'] as const)) await take(picture, theme, tasks);
  }
} finally {
  await browser.close();
  await backstep.kill();
  await rm(folder, { recursive: true, force: true });
}

async function take(
  picture: Picture,
  theme: 'dark' | 'light',
  tasks: PicturedTasks,
): Promise<void> {
  const { height = 820, name, width = 1_280 } = picture;
  const visitor = await Visitor.open(browser, backstep.url, { theme, width, zone: 'UTC' });
  try {
    await visitor.page.setViewportSize({ width, height });
    await visitor.visit(picture.at(tasks));
    await picture.prepare?.(visitor.page);
    const data = await shot(visitor);
    const file = path.join(FOLDER, `${name}${theme === 'dark' ? '-dark' : ''}.webp`);
    await writeFile(file, data);
    const { size } = await stat(file);
    console.log(`${path.relative(REPOSITORY, file)}: ${Math.ceil(size / 1_024)} KiB`);
  } finally {
    await visitor.close();
  }
}

async function shot({ page }: Visitor): Promise<Buffer> {
  await page.evaluate('document.fonts.ready.then(() => undefined)');
  const session = await page.context().newCDPSession(page);
  const options = { format: 'webp', quality: QUALITY } as const;
  const { data } = await session.send('Page.captureScreenshot', options);
  return Buffer.from(data, 'base64');
}
