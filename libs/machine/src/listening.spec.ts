import { once } from 'node:events';
import { link, lstat, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { expectSocketPlace, isFree, listenOnSocket, nextFreePort } from './listening.js';

describe('a socket to listen on', () => {
  let folder: string;
  let place: string;
  const servers: Server[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'backstep-socket-'));
    place = path.join(folder, 'backstep.sock');
  });

  afterEach(async () => {
    for (const server of servers.splice(0)) await ended(server);
    await rm(folder, { recursive: true });
  });

  /** Something that listens, and says its name to clients. */
  async function listen(file: string, name: string): Promise<Server> {
    // A client that only looks for a listener is gone before it gets the name.
    const server = createServer((socket) => socket.on('error', () => {}).end(name));
    servers.push(server);
    server.listen(file);
    await once(server, 'listening');
    return server;
  }

  async function ended(server: Server): Promise<void> {
    if (!server.listening) return;
    server.close();
    await once(server, 'close');
  }

  const start = (name: string) => listenOnSocket(place, (file) => listen(file, name));

  async function heard(): Promise<string> {
    const socket = connect(place);
    let text = '';
    for await (const piece of socket.setEncoding('utf8')) text += piece;
    return text;
  }

  /** As a process leaves it that is killed: Node takes its own name of the socket away. */
  async function leaveDead(): Promise<void> {
    const made = path.join(folder, 'made');
    const server = await listen(made, 'dead');
    await link(made, place);
    await ended(server);
  }

  it('is for its own user alone, whatever the umask, and leaves nothing beside it', async () => {
    const before = process.umask(0);
    await start('one').finally(() => process.umask(before));
    const { mode } = await stat(place);
    expect((mode & 0o777).toString(8)).toBe('600');
    expect(await readdir(folder)).toEqual(['backstep.sock']);
    expect(await heard()).toBe('one');
  });

  it('gets its folder, for its own user alone', async () => {
    place = path.join(folder, 'deep', 'down', 'backstep.sock');
    await start('one');
    const { mode } = await stat(path.dirname(place));
    expect((mode & 0o077).toString(8)).toBe('0');
    expect(await heard()).toBe('one');
  });

  it('takes the place of one that a dead process has left', async () => {
    await leaveDead();
    await expectSocketPlace(place);
    await start('new');
    expect(await heard()).toBe('new');
    expect(await readdir(folder)).toEqual(['backstep.sock']);
  });

  it('is refused in the place of one that somebody listens on, which goes on', async () => {
    await start('old');
    await expect(expectSocketPlace(place)).rejects.toThrow(`${place} is in use. Stop what`);
    await expect(start('new')).rejects.toThrow(`${place} is in use. Stop what`);
    expect(await heard()).toBe('old');
    expect(await readdir(folder)).toEqual(['backstep.sock']);
  });

  it('has one owner of several that start at once over a dead one', async () => {
    await leaveDead();
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const started = await Promise.allSettled(names.map(start));
    const owners = names.filter((_, index) => started[index]?.status === 'fulfilled');
    expect(owners).toHaveLength(1);
    expect(await heard()).toBe(owners[0]);
    expect(await readdir(folder)).toEqual(['backstep.sock']);
  });

  it('takes the place of a dead one also where the start before it died in the middle', async () => {
    await leaveDead();
    await link(place, `${place}.lock`);
    await start('new');
    expect(await heard()).toBe('new');
    expect(await readdir(folder)).toEqual(['backstep.sock']);
  });

  it.each(['a file', 'a link'])('leaves %s at its place as it is', async (what) => {
    if (what === 'a file') await writeFile(place, 'kept');
    else await symlink('elsewhere', place);
    const before = await lstat(place);
    await expect(expectSocketPlace(place)).rejects.toThrow(`${place} is there, and is no socket`);
    await expect(start('new')).rejects.toThrow('is no socket');
    expect((await lstat(place)).ino).toBe(before.ino);
  });

  it('goes when it is removed, and is left where it is another one by then', async () => {
    const file = await start('one');
    await file.remove();
    expect(await readdir(folder)).toEqual([]);
    await file.remove();
    const again = await start('two');
    await rm(place);
    await start('three');
    await again.remove();
    expect(await heard()).toBe('three');
  });
});

describe('a port', () => {
  const host = '127.0.0.1';
  let server: Server;
  let port: number;

  beforeEach(async () => {
    server = createServer();
    server.listen(0, host);
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
  });

  afterEach(async () => {
    if (!server.listening) return;
    server.close();
    await once(server, 'close');
  });

  it('is not free while something listens on it', async () => {
    expect(await isFree({ host, port })).toBe(false);
    server.close();
    await once(server, 'close');
    expect(await isFree({ host, port })).toBe(true);
  });

  it('that is taken has a free one behind it', async () => {
    const next = await nextFreePort({ host, port });
    expect(next).toBeGreaterThan(port);
    expect(await isFree({ host, port: next! })).toBe(true);
  });

  it('of an address that this machine does not have is nobody else’s', async () => {
    expect(await isFree({ host: '192.0.2.1', port })).toBe(true);
  });
});
