import { createDecipheriv, createHmac, hkdfSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { DATASET_ID, dataset, getSummary, TOKEN } from '../support/harness.ts';
import { Redis, SECRET, startReplica, stored } from './redis.ts';
import { expectUse, NAME, startFilled, timed } from './timed.ts';

const EPOCH_AT = 1;
const DATASET_EPOCH_AT = 17;
const IV_AT = 33;
const TAG_AT = 45;
const TEXT_AT = 61;

describe('3.41 A value in Redis', () => {
  it('is opened by who has the secret and the token, and authenticates where it belongs', async () => {
    const redis = await Redis.start();
    const replica = await startReplica({
      env: { ...redis.env, CACHE_METADATA_SECONDS: '10', CACHE_STALE_SECONDS: '20' },
    });
    const before = Date.now();
    await timed(replica);
    await stored(redis, 1);
    const serviceUrl = new URL(replica.simulator.url);
    const derive = (purpose: string) => Buffer.from(hkdfSync('sha256', SECRET, '', `${purpose} ${serviceUrl}`, 32));
    const nameOf = (text: string) => createHmac('sha256', derive('names')).update(text).digest('base64url');
    const epochName = `dataset-subgraph:${nameOf(TOKEN)}`;
    const datasetName = `${epochName}:${nameOf(`${TOKEN}\n${JSON.stringify(DATASET_ID)}`)}`;
    const name = `${datasetName}:${nameOf(`${TOKEN}\ngetDatasetMetadata\n${JSON.stringify(DATASET_ID)}\n`)}`;
    expect(await redis.keys('epochs')).toEqual([epochName]);
    expect(await redis.keys('datasets')).toEqual([datasetName]);
    expect(await redis.keys('responses')).toEqual([name]);
    const epochs = (await redis.send('MGET', epochName, datasetName)) as Buffer[];
    const value = (await redis.send('GET', name)) as Buffer;
    expect(value.subarray(EPOCH_AT, IV_AT)).toEqual(Buffer.concat(epochs));
    const key = createHmac('sha256', derive('encryption')).update(TOKEN).digest();
    const decipher = createDecipheriv('aes-256-gcm', key, value.subarray(IV_AT, TAG_AT))
      .setAuthTag(value.subarray(TAG_AT, TEXT_AT))
      .setAAD(Buffer.concat([value.subarray(0, IV_AT), Buffer.from(name)]));
    const plain = Buffer.concat([decipher.update(value.subarray(TEXT_AT)), decipher.final()]);
    const [arrived = 0, ...others] = [0, 8, 16, 24].map((at) => plain.readDoubleLE(at));
    expect(arrived).toBeGreaterThanOrEqual(before);
    expect(others).toEqual([arrived + 10_000, arrived + 30_000, 0]);
    expect(JSON.parse(plain.toString('utf8', 32))).toMatchObject({ name: dataset.metadata.name });
  });

  it('that was dropped is not used with the next epoch of its token', async () => {
    const { redis, replica } = await startFilled();
    const [name = ''] = await redis.keys('responses');
    const dropped = (await redis.send('GET', name)) as Buffer;
    replica.simulator.intercept(({ datasetId }) => (datasetId === 'other' ? { status: 401 } : undefined));
    await replica.query(NAME, { variables: { id: 'other' } });
    await eventually(async () => expect(await redis.keys('epochs')).toEqual([]));
    await expectUse(replica);
    const [epochName = ''] = await redis.keys('epochs');
    const epoch = (await redis.send('GET', epochName)) as Buffer;
    replica.simulator.clear();
    await redis.send('SET', name, dropped);
    await timed(replica);
    expect(replica.calls()).toEqual([getSummary()]);
    await eventually(async () => expect(await redis.send('GET', name)).not.toEqual(dropped));
    // Nobody made it up.
    expect(await replica.failures()).toEqual({});
    const forged = Buffer.concat([dropped.subarray(0, EPOCH_AT), epoch, dropped.subarray(DATASET_EPOCH_AT)]);
    await redis.send('SET', name, forged);
    replica.simulator.clear();
    await timed(replica);
    expect(replica.calls()).toEqual([getSummary()]);
    expect(await replica.failures()).toEqual({ 'read invalid': 1 });
  });
});
