import type { Collection, Document } from 'mongodb';
import { TextSeal } from '#access';
import { type MongoConnection, openMongo, orUnavailable } from '#barrier';
import { newSecret } from '#machine';
import type { Clock, Entropy } from '#ports';
import { clientFile, type Credentials, type Login } from '../credentials.js';
import type { Owner } from '../instance.js';
import { newPassword } from '../password.js';

/** A password as stored; each owner of an instance has one of its own. */
interface CredentialDocument extends Document, Login {
  readonly _id: string;
  readonly createdAt: Date;
  readonly password: string;
  readonly isSealed: boolean;
}

const COLLECTION = 'mysql_credentials';
const DUPLICATE_KEY = 11_000;

/** Where passwords are kept for executors on several machines. */
interface MongoCredentialsOptions {
  readonly clock: Clock;
  readonly entropy: Entropy;
  /** Keys that seal passwords, as in `TextSeal`; null: they are stored in clear. */
  readonly secretKeys: readonly string[] | null;
  /** Names the database. */
  readonly url: string;
}

/** Passwords in a database that executors of several machines share, sealed if there is a key. */
export class MongoCredentials implements Credentials {
  readonly #found: Collection<CredentialDocument>;
  readonly #seal: TextSeal | null;

  private constructor(
    private readonly connection: MongoConnection,
    private readonly options: MongoCredentialsOptions,
  ) {
    this.#found = connection.db.collection<CredentialDocument>(COLLECTION);
    const { secretKeys } = options;
    this.#seal = secretKeys === null ? null : new TextSeal(secretKeys, 'passwords of instances');
  }

  /** Connects to the database. */
  static async open(options: MongoCredentialsOptions): Promise<MongoCredentials> {
    const connection = await openMongo(options.url);
    try {
      const credentials = new MongoCredentials(connection, options);
      await credentials.#found.createIndex({ instance: 1 });
      return credentials;
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  placeOf(instance: string): string {
    return `backstep mysql credentials ${instance}`;
  }

  async passwordFor(login: Login, owner: Owner): Promise<string> {
    return this.#passwordIn(await orUnavailable(this.#keep(login, idOf(login.instance, owner))));
  }

  async remove(instance: string, owner: Owner): Promise<void> {
    await orUnavailable(this.#found.deleteOne({ _id: idOf(instance, owner) }));
  }

  async clientFileOf(instance: string): Promise<string | null> {
    // An attempt of an owner before it, stopped in the middle, may have left one behind.
    const newest = this.#found.find({ instance }).sort({ createdAt: -1 }).limit(1);
    const [found] = await orUnavailable(newest.toArray());
    return found === undefined ? null : clientFile(found, this.#passwordIn(found));
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  /** The stored credentials of this owner; where there are none, stores a new password first. */
  async #keep({ host, instance, port }: Login, _id: string): Promise<CredentialDocument> {
    const known = await this.#found.findOne({ _id });
    if (known !== null) return known;
    const { clock, entropy } = this.options;
    const clear = newPassword(entropy);
    const isSealed = this.#seal !== null;
    const password = this.#seal?.seal(clear, _id, newSecret().secret) ?? clear;
    const createdAt = new Date(clock.now());
    const fresh = { _id, host, instance, port, createdAt, password, isSealed };
    try {
      await this.#found.insertOne(fresh);
      return fresh;
    } catch (error) {
      if ((error as { code?: unknown } | null)?.code !== DUPLICATE_KEY) throw error;
    }
    // Another attempt of this owner has kept one in between.
    const kept = await this.#found.findOne({ _id });
    if (kept === null) throw new Error(`the password of ${instance} was removed meanwhile`);
    return kept;
  }

  #passwordIn({ _id, instance, isSealed, password }: CredentialDocument): string {
    if (!isSealed) return password;
    if (this.#seal !== null) return this.#seal.unseal(password, _id);
    throw new Error(`the password of ${instance} is sealed, and BACKSTEP_SECRET_KEY is not set`);
  }
}

function idOf(instance: string, { run, taskId }: Owner): string {
  return JSON.stringify([instance, taskId, run]);
}
