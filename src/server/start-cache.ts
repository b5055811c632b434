import type { Config } from '../config.ts';
import { ConfigError } from '../core/error-codes.ts';
import { MemoryStore } from '../rest/cache/memory-store.ts';
import { ReadCache } from '../rest/cache/read-cache.ts';
import type { ResponseStore } from '../rest/cache/response-store.ts';
import type { Log } from '../telemetry/telemetry.ts';

/**
 * Starts the cache of REST responses. Undefined if the settings ask for none.
 *
 * @throws ConfigError if a setting is missing that it needs
 */
export async function startReadCache(config: Config, serviceUrl: URL, log: Log): Promise<ReadCache | undefined> {
  const { CACHE_METADATA_SECONDS, CACHE_RESULTS_SECONDS, CACHE_STALE_SECONDS: staleSeconds } = config;
  if (config.CACHE === 'off') return undefined;
  const store =
    config.CACHE === 'memory'
      ? new MemoryStore(config.CACHE_MAX_BYTES)
      : await startRedis(config.CACHE, config, serviceUrl, log);
  const seconds = { getDatasetMetadata: CACHE_METADATA_SECONDS, getDatasetResults: CACHE_RESULTS_SECONDS };
  return new ReadCache({ seconds, staleSeconds, store });
}

/** Redis may be down: then responses come without a cache. */
async function startRedis(url: URL, config: Config, serviceUrl: URL, log: Log): Promise<ResponseStore> {
  const { CACHE_SECRET: secret, CACHE_REDIS_MAX_BYTES: maxBytes } = config;
  if (secret === undefined) throw new ConfigError('CACHE_SECRET must be set, because CACHE is the URL of a Redis.');
  const seconds = Math.max(config.CACHE_METADATA_SECONDS, config.CACHE_RESULTS_SECONDS) + config.CACHE_STALE_SECONDS;
  // Its client is loaded only here, because most operators do not need it.
  const { RedisStore } = await import('../rest/cache/redis-store.ts');
  const store = new RedisStore({
    url,
    secret,
    serviceUrl,
    maxBytes,
    lifetimeMs: seconds * 1000,
    onChange: log.redisChange,
  });
  await store.settled();
  return store;
}
