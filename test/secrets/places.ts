import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { MongoClient } from 'mongodb';

/** Something that was written, sent or said, and where. */
export interface Found {
  readonly place: string;
  readonly content: Buffer;
}

/** Every file below a folder, as its bytes. */
export async function filesIn(folder: string): Promise<readonly Found[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Promise.all(
    files.map(async ({ name, parentPath }) => {
      const place = path.join(parentPath, name);
      return { place, content: await readFile(place).catch(() => Buffer.alloc(0)) };
    }),
  );
}

/** Every document of a database, as JSON. */
export async function documentsIn(url: string): Promise<readonly Found[]> {
  const client = await MongoClient.connect(url);
  try {
    const database = client.db();
    const names = (await database.listCollections().toArray()).map(({ name }) => name);
    return await Promise.all(
      names.map(async (name) => {
        const all = await database.collection(name).find().toArray();
        return { place: `collection ${name}`, content: Buffer.from(JSON.stringify(all)) };
      }),
    );
  } finally {
    await client.close();
  }
}

/** The places in which one of these texts stands, as it is, in JSON, or in an address. */
export function placesOf(secrets: readonly string[], found: readonly Found[]): readonly string[] {
  const forms = secrets.flatMap((secret) => {
    const base64 = Buffer.from(secret).toString('base64').slice(0, -4);
    const json = JSON.stringify(secret).slice(1, -1);
    return [secret, json, JSON.stringify(json).slice(1, -1), encodeURIComponent(secret), base64];
  });
  const wanted = [...new Set(forms)];
  return found.flatMap(({ content, place }) => {
    return wanted.some((form) => content.includes(form)) ? [place] : [];
  });
}
