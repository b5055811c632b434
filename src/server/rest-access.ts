import { type Config, routeOf } from '../config.ts';
import { defaultMemoryBudget } from '../rest/admission/memory.ts';
import { ReadCache } from '../rest/cache/read-cache.ts';
import { CachedAccess } from '../rest/cached-session.ts';
import { RestClient } from '../rest/client.ts';
import { RestAccess } from '../rest/session.ts';
import type { Log, Telemetry } from '../telemetry/telemetry.ts';

/** Logs what an operator should know of the settings at the start. */
export function reportSettings(config: Config, serviceUrl: URL, log: Log): void {
  for (const sentence of config.ignored) log.ignored(sentence);
  const { HTTP_PROXY, HTTPS_PROXY, AUTH_SERVICE_URL, UPSTREAM_HTTP } = config;
  const proxies = [HTTP_PROXY, HTTPS_PROXY].flatMap((url) => (url === undefined ? [] : [url.host]));
  if (proxies.length > 0) log.proxied([...new Set(proxies)]);
  if (UPSTREAM_HTTP === 'deny') return;
  if (serviceUrl.protocol === 'http:') log.unencrypted('DATASET_SERVICE_URL');
  if (AUTH_SERVICE_URL?.protocol === 'http:') log.unencrypted('AUTH_SERVICE_URL');
}

/** The cache of REST responses. Undefined if it is off. */
export function readCacheOf(config: Config): ReadCache | undefined {
  if (config.CACHE === 'off') return undefined;
  return new ReadCache({
    seconds: { getDatasetMetadata: config.CACHE_METADATA_SECONDS, getDatasetResults: config.CACHE_RESULTS_SECONDS },
    staleSeconds: config.CACHE_STALE_SECONDS,
    maxBytes: config.CACHE_MAX_BYTES,
  });
}

/**
 * How operations read the service.
 *
 * @param baseUrl {base_url} of the service
 * @param cache undefined if each operation makes its own calls
 */
export function restAccessOf(
  config: Config,
  baseUrl: URL,
  cache: ReadCache | undefined,
  { log, metrics }: Telemetry,
): RestAccess {
  const { UPSTREAM_MAX_CALLS: maxCalls, OPERATION_TIMEOUT_MS: timeoutMs } = config;
  const client = new RestClient({
    baseUrl,
    route: routeOf(config),
    headersTimeoutMs: config.UPSTREAM_TIMEOUT_MS,
    connections: config.UPSTREAM_CONNECTIONS,
    keepAliveMs: config.UPSTREAM_KEEP_ALIVE_MS,
    downloads: config.MAX_DOWNLOADS,
    redirectHosts: config.DOWNLOAD_REDIRECT_HOSTS,
    queue: config.UPSTREAM_QUEUE,
    maxBytes: config.UPSTREAM_MAX_BYTES,
    holdBytes: config.RESULTS_HOLD_BYTES,
    memoryBytes: config.MEMORY_BUDGET ?? defaultMemoryBudget(),
    retry: config.UPSTREAM_RETRY === 'on',
    circuitOpenMs: config.UPSTREAM_OUTAGE_MS,
    onRejected: (authorization, datasetId) => cache?.invalidate(authorization, datasetId),
    onCircuitChange: (operation, isOpen) => {
      log.circuitChange(operation, isOpen);
      if (isOpen) metrics?.circuitOpened(operation);
    },
  });
  const shared = { client, maxCalls, timeoutMs };
  return cache === undefined ? new RestAccess(shared) : new CachedAccess(shared, cache);
}
