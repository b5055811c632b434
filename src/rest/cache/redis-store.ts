import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { type BearerAuthorization, tokenOf } from '../../core/bearer-token.ts';
import { RedisConnection, type RedisConnectionOptions, type RedisFailure, type RedisTask } from './redis-connection.ts';
import { type EpochNames, RedisEpochs } from './redis-epochs.ts';
import { RedisRead, type RedisTraffic } from './redis-read.ts';
import {
  type CachedRead,
  describeRead,
  type RedisStoreState,
  type ResponseStore,
  type StoredRead,
} from './response-store.ts';

export interface RedisStoreOptions {
  readonly url: URL;
  /** Of it are made the names of the keys in Redis, and the keys of the encryption. */
  readonly secret: string;
  /** {base_url} of the REST service: replicas for different services share nothing. */
  readonly serviceUrl: URL;
  /** The maximum bytes of one value. */
  readonly maxBytes: number;
  /** The longest time for which a response may be used. */
  readonly lifetimeMs: number;
  readonly onChange: RedisConnectionOptions['onChange'];
}

/** Keeps responses in Redis, for all replicas that have the same secret. Nobody else can read them there. */
export class RedisStore implements ResponseStore, RedisStoreState {
  readonly kind = 'redis';
  readonly failures = { read: noFailures(), write: noFailures(), drop: noFailures() };
  readonly traffic: RedisTraffic = { readBytes: 0, writtenBytes: 0, writingBytes: 0 };
  readonly #maxBytes: number;
  readonly #connection: RedisConnection;
  readonly #epochs: RedisEpochs;
  readonly #names: KeyObject;
  readonly #secrets: KeyObject;

  constructor({ url, secret, serviceUrl, maxBytes, lifetimeMs, onChange }: RedisStoreOptions) {
    const derive = (purpose: string) =>
      createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', `${purpose} ${serviceUrl.href}`, 32)));
    this.#maxBytes = maxBytes;
    this.#names = derive('names');
    this.#secrets = derive('encryption');
    this.#connection = new RedisConnection({ url, onChange, onFailure: this.#fail });
    this.#epochs = new RedisEpochs(this.#connection, lifetimeMs);
  }

  get state(): RedisStoreState {
    return this;
  }

  get isAvailable(): boolean {
    return this.#connection.isAvailable;
  }

  /** Waits for the first connection, or its failure, for a limited time. */
  settled(): Promise<void> {
    return this.#connection.settled();
  }

  of(read: CachedRead): StoredRead {
    const token = tokenOf(read.authorization);
    const epochNames = this.#epochNames(read.authorization, read.datasetId);
    return new RedisRead({
      connection: this.#connection,
      epochs: this.#epochs,
      epochNames,
      name: `${epochNames[1]}:${mac(this.#names, `${token}\n${describeRead(read)}`).toString('base64url')}`,
      secret: mac(this.#secrets, token),
      maxBytes: this.#maxBytes,
      traffic: this.traffic,
      onFailure: this.#fail,
    });
  }

  invalidate(authorization: BearerAuthorization, datasetId: string | undefined): void {
    const [token, dataset] = this.#epochNames(authorization, datasetId ?? '');
    this.#epochs.invalidate(datasetId === undefined ? token : dataset);
  }

  async close(): Promise<void> {
    this.#epochs.close();
    this.#connection.close();
  }

  #epochNames(authorization: BearerAuthorization, datasetId: string): EpochNames {
    const token = tokenOf(authorization);
    const name = `dataset-subgraph:${mac(this.#names, token).toString('base64url')}`;
    return [name, `${name}:${mac(this.#names, `${token}\n${JSON.stringify(datasetId)}`).toString('base64url')}`];
  }

  readonly #fail = (task: RedisTask, failure: RedisFailure): void => {
    this.failures[task][failure] += 1;
  };
}

function noFailures(): Record<RedisFailure, number> {
  return { notSent: 0, timeout: 0, connection: 0, error: 0, invalid: 0 };
}

function mac(secret: KeyObject, text: string): Buffer {
  return createHmac('sha256', secret).update(text).digest();
}
