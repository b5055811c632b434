import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { stopClock } from '../support/clock.ts';
import { dataset, ofDataset } from '../support/harness.ts';
import { accountsOf, Redis, SECRET, startReplica, stored } from './redis.ts';

const EVERYTHING = ofDataset(`name description attributionText processing { id name }
  results(filter: { assetIds: ["canary-asset"] }) { series { nodes { asset { assetId name } rows { valueDate } } } }`);

/** Every form in which a text may be found in bytes. */
function formsOf(text: string): string[] {
  const bytes = Buffer.from(text);
  const hashes = ['md5', 'sha1', 'sha256', 'sha512'].flatMap((algorithm) =>
    (['hex', 'base64', 'base64url'] as const).map((encoding) => createHash(algorithm).update(text).digest(encoding)),
  );
  return [
    text,
    bytes.toString('hex'),
    // Without what depends on the bytes beside it.
    bytes.toString('base64').slice(0, -4),
    encodeURIComponent(text),
    ...hashes,
  ];
}

describe('3.41 Who reads Redis', () => {
  it('finds there no token, no id, no value and no secret', async () => {
    const redis = await Redis.start();
    const commands = await redis.monitor();
    const token = 'canary-token-of-anna';
    const canary = {
      metadata: {
        ...dataset.metadata,
        id: 'canary-dataset',
        name: 'canary-name '.repeat(200),
        attributionText: 'canary-attribution',
      },
      results: {
        processing_id: 'canary-processing',
        assets: [{ ...(dataset.results as { assets: object[] }).assets[0], asset_id: 'canary-asset' }],
      },
    };
    const replica = await startReplica({ env: redis.env, accounts: accountsOf(token), datasets: [canary] });
    const options = { token, variables: { id: 'canary-dataset' } };
    for (let times = 0; times < 2; times += 1) {
      const { data } = (await replica.query(EVERYTHING, options)).body;
      expect(data.dataset.results.series.nodes).toHaveLength(1);
      await stored(redis, 2);
    }
    replica.simulator.intercept(() => ({ status: 401 }));
    await replica.query(ofDataset('name'), { token, variables: { id: 'canary-other' } });
    const dump = (await redis.dump()).toString('latin1');
    const seen = `${commands.join('\n')}\n${dump}`;
    expect(dump).toContain('dataset-subgraph:');
    expect(commands.filter((command) => /"set"/i.test(command)).length).toBeGreaterThanOrEqual(3);
    const words = [token, 'canary', 'Bearer', 'value_date', '2024-01-0', 'moisture', 'asset', SECRET, 'getDataset'];
    for (const word of words) for (const form of formsOf(word)) expect(seen.includes(form), form).toBe(false);
  });

  it('finds the same response of the same token encrypted in another way each time', async () => {
    const redis = await Redis.start();
    const replica = await startReplica({ env: redis.env });
    const values = new Set<string>();
    // So the plaintext is the same.
    stopClock();
    for (let times = 0; times < 3; times += 1) {
      await replica.query(ofDataset('name'));
      await stored(redis, 1);
      const [name = ''] = await redis.keys('responses');
      values.add(((await redis.send('GETDEL', name)) as Buffer).subarray(45).toString('hex'));
    }
    expect(values.size).toBe(3);
  });
});

describe('3.41 A thousand tokens', () => {
  it('each get their own, from both replicas', async () => {
    const redis = await Redis.start();
    const tokens = Array.from({ length: 1000 }, (_, number) => `token-${number}`);
    const one = await startReplica({ env: { ...redis.env, LOG_LEVEL: 'warn' }, accounts: accountsOf(...tokens) });
    const two = await startReplica({ env: { ...redis.env, LOG_LEVEL: 'warn' } }, one.simulator);
    one.simulator.intercept(({ headers }) => ({ body: JSON.stringify({ name: headers.authorization?.[0] }) }));
    const askAll = async (replica: typeof one) => {
      for (let first = 0; first < tokens.length; first += 50) {
        const answers = tokens.slice(first, first + 50).map(async (token) => {
          const { body } = await replica.query(ofDataset('name'), { token });
          expect(body).toEqual({ data: { dataset: { name: `Bearer ${token}` } } });
        });
        await Promise.all(answers);
      }
    };
    await askAll(one);
    await stored(redis, 1000);
    expect(await redis.keys('epochs')).toHaveLength(1000);
    await askAll(two);
    // Some reads may take longer than Redis may.
    expect(one.calls().length).toBeLessThan(1900);
  });
});
