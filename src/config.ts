import * as z from 'zod';
import { ConfigError } from './core/error-codes.ts';
import { isLoopback } from './core/loopback.ts';

/** The settings of the subgraph, read from the environment once, at start. */
export interface Config extends z.output<typeof settings> {
  /** What was ignored of the environment, one sentence each. */
  readonly ignored: readonly string[];
}

/** Environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The schema of a setting. `allowed` completes the sentence `NAME must be ...`. Values of a secret are never printed. */
export function setting<T>(allowed: string, read: (text: string) => T | undefined, { isSecret = false } = {}) {
  return z.string().transform((text, context) => {
    const value = read(text);
    if (value !== undefined) return value;
    context.addIssue({ code: 'custom', message: allowed, params: { isSecret } });
    return z.NEVER;
  });
}

function integer(min: number, max: number) {
  return setting(`a whole number from ${min} to ${max}`, (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max ? value : undefined;
  });
}

const ratio = setting('a number from 0 to 1', (text) =>
  /^(0(\.\d{1,15})?|1(\.0{1,15})?)$/.test(text) ? Number(text) : undefined,
);

function oneOf<const T extends string>(...values: readonly T[]) {
  return setting(`one of ${values.join(', ')}`, (text) => values.find((value) => value === text));
}

/** The same in any case, as OpenTelemetry has it. */
function oneOfInAnyCase<const T extends string>(...values: readonly T[]) {
  return setting(`one of ${values.join(', ')}`, (text) => values.find((value) => value === text.toLowerCase()));
}

/** Parses a URL without user, query and fragment. */
function parsePlainUrl(text: string): URL | undefined {
  const url = URL.parse(text);
  const isPlain = url !== null && url.username === '' && url.password === '' && !/[?#]/.test(text);
  return isPlain ? url : undefined;
}

/** The rule for the URL of a service, to complete `It must be ...`. */
export const SERVICE_URL = 'an https URL (or http on a loopback host) without user, query and fragment';

/** Parses the URL of a service that receives a token; undefined if it is not allowed. */
export function readServiceUrl(text: string): URL | undefined {
  const url = parsePlainUrl(text);
  if (url === undefined) return undefined;
  const secure = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
  return secure ? url : undefined;
}

/** The setting of the URL of a service. */
export const serviceUrl = setting(SERVICE_URL, readServiceUrl);

/** A URL that may be http on any host: of a collector, or of a service inside a mesh that encrypts. */
const plainUrl = setting('an http or https URL without user, query and fragment', (text) => {
  const url = parsePlainUrl(text);
  return url !== undefined && /^https?:$/.test(url.protocol) ? url : undefined;
});

const origins = setting('origins such as https://studio.apollographql.com, separated by commas', (text) => {
  const list = text.split(',').map((origin) => origin.trim());
  return list.every((origin) => URL.parse(origin)?.origin === origin && /^https?:/.test(origin)) ? list : undefined;
});

/** A URL of a proxy, which may have a user and a password. */
const proxyUrl = setting(
  'an http or https URL of a proxy',
  (text) => {
    const url = URL.parse(text);
    return url !== null && /^https?:$/.test(url.protocol) && url.pathname === '/' && !/[?#]/.test(text)
      ? url
      : undefined;
  },
  { isSecret: true },
);

const hostNames = setting('host names such as storage.example.com or *.example.com, separated by commas', (text) => {
  const names = text.split(',').map((name) => name.trim().toLowerCase());
  return names.every((name) => /^(\*\.)?[a-z\d-]+(\.[a-z\d-]+)*\.[a-z][a-z\d-]*$/.test(name)) ? names : undefined;
});

const path = setting('a path of a file', (text) => text);

const host = setting('a host name or an address', (text) => (/^[\w.:-]+$/.test(text) ? text : undefined));

/** New names by schema coordinates. Whether these exist is checked when the schema is made. */
export const schemaNames = setting(
  'entries such as Asset:DatasetAsset or Query.dataset:platformDataset, separated by commas, each type or field once, ' +
    'each new name a letter, then letters, digits and single underscores',
  (text) => {
    const entries = text
      .split(',')
      .map((entry) => /^([A-Za-z]\w*(?:\.[A-Za-z]\w*)?):([A-Za-z]\w*)$/.exec(entry.trim()));
    const names = new Map(entries.map((entry) => [entry?.[1] ?? '', entry?.[2] ?? '__']));
    const areNames = names.size === entries.length && [...names.values()].every((name) => !name.includes('__'));
    return areNames ? names : undefined;
  },
);

/** One secret, or the new and the old one while they are rotated. */
function secretsOf(minLength: number) {
  return setting(
    `one or two secrets, separated by a comma, each of ${minLength} to 1000 visible ASCII characters without a comma`,
    (text) => {
      const secrets = text.split(',');
      const areValid = secrets.every((each) => each.length >= minLength && /^[!-~]{1,1000}$/.test(each));
      return secrets.length <= 2 && areValid ? secrets : undefined;
    },
    { isSecret: true },
  );
}

/** The maximum delay of a timer, in milliseconds. A timer with a longer delay fires at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** The samplers of the OpenTelemetry specification that need no other system. */
const samplers = ['always_on', 'always_off', 'traceidratio'] as const;
const parentBasedSamplers = ['parentbased_always_on', 'parentbased_always_off', 'parentbased_traceidratio'] as const;

/** Shared with other programs: what cannot be used of them is ignored (OpenTelemetry specification, "Environment Variable Specification"). */
const openTelemetry = {
  OTEL_EXPORTER_OTLP_ENDPOINT: plainUrl.optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: plainUrl.optional(),
  OTEL_TRACES_EXPORTER: oneOfInAnyCase('otlp', 'none').default('otlp'),
  OTEL_SDK_DISABLED: oneOfInAnyCase('false', 'true').default('false'),
  OTEL_TRACES_SAMPLER: oneOfInAnyCase(...parentBasedSamplers, ...samplers).default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: ratio.default(1),
  OTEL_BSP_SCHEDULE_DELAY: integer(1, MAX_TIMER_MS).default(5000),
  OTEL_BSP_MAX_QUEUE_SIZE: integer(1, 1_000_000).default(2048),
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: integer(1, 1_000_000).default(512),
};

/** The only protocol. What other programs are told does not matter. */
const protocols = {
  OTEL_EXPORTER_OTLP_PROTOCOL: oneOfInAnyCase('http/protobuf').optional(),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: oneOfInAnyCase('http/protobuf').optional(),
};

/** How services are reached. */
export const route = {
  UPSTREAM_HTTP: oneOf('deny', 'allow').default('deny'),
  UPSTREAM_CA_FILE: path.optional(),
  UPSTREAM_CERTIFICATE_FILE: path.optional(),
  UPSTREAM_KEY_FILE: path.optional(),
  HTTP_PROXY: proxyUrl.optional(),
  HTTPS_PROXY: proxyUrl.optional(),
  NO_PROXY: setting('host names, separated by commas', (text) => text).optional(),
};

const settings = z.object({
  DATASET_SERVICE_URL: serviceUrl.optional(),
  AUTH_SERVICE_URL: serviceUrl.optional(),
  HOST: host.default('127.0.0.1'),
  PORT: integer(0, 65_535).default(4000),
  METRICS_HOST: host.default('127.0.0.1'),
  METRICS_PORT: integer(0, 65_535).optional(),
  UPSTREAM_TIMEOUT_MS: integer(1, MAX_TIMER_MS).default(20_000),
  OPERATION_TIMEOUT_MS: integer(1, MAX_TIMER_MS).default(28_000),
  UPSTREAM_CONNECTIONS: integer(1, 10_000).default(64),
  UPSTREAM_KEEP_ALIVE_MS: integer(1, MAX_TIMER_MS).default(4000),
  UPSTREAM_QUEUE: integer(0, 1_000_000).default(1000),
  UPSTREAM_MAX_BYTES: integer(1, 2 ** 29 - 25).default(268_435_456),
  RESULTS_HOLD_BYTES: integer(2 ** 20, 2 ** 29 - 25).default(4_194_304),
  MEMORY_BUDGET: integer(2 ** 20, 2 ** 40).optional(),
  UPSTREAM_MAX_CALLS: integer(1, 1_000_000).default(500),
  UPSTREAM_RETRY: oneOf('on', 'off').default('on'),
  UPSTREAM_OUTAGE_MS: integer(0, MAX_TIMER_MS).default(5000),
  ...route,
  ASSET_IDS_PER_CALL: integer(1, 1_000_000).default(500),
  MAX_OPERATIONS: integer(1, 1_000_000).default(500),
  MAX_CONNECTIONS: integer(1, 1_000_000).default(2000),
  REQUEST_TIMEOUT_MS: integer(1, MAX_TIMER_MS).default(15_000),
  KEEP_ALIVE_MS: integer(1, MAX_TIMER_MS).default(95_000),
  MAX_DOCUMENT_TOKENS: integer(1, 1_000_000).default(10_000),
  MAX_ALIASES: integer(0, 1_000_000).default(500),
  MAX_REPRESENTATIONS: integer(1, 1_000_000).default(5000),
  MAX_OPERATION_WORK: integer(1_000_000, 1_000_000_000_000).default(268_435_456),
  ROUTER_SECRET: secretsOf(16).optional(),
  INTROSPECTION: oneOf('on', 'off').default('on'),
  EXPLORER: oneOf('sandbox', 'graphiql', 'off').optional(),
  CORS_ORIGINS: origins.optional(),
  FEDERATED_TRACING: oneOf('on', 'off').default('off'),
  OPERATION_PLAN: oneOf('on', 'off').default('off'),
  DATE_UNIT: oneOf('milliseconds', 'seconds').default('milliseconds'),
  DOWNLOAD_TOKEN_IN_URL: oneOf('deny', 'allow').default('deny'),
  DOWNLOAD_REDIRECT_HOSTS: hostNames.optional(),
  DOWNLOAD_TICKET_SECRET: secretsOf(32).optional(),
  DOWNLOAD_TICKET_SECONDS: integer(1, 86_400).default(300),
  MAX_DOWNLOADS: integer(1, 10_000).default(64),
  PUBLIC_URL: serviceUrl.optional(),
  SCHEMA_NAMES: schemaNames.optional(),
  CACHE: oneOf('off', 'memory').default('off'),
  CACHE_METADATA_SECONDS: integer(0, 86_400).default(60),
  CACHE_RESULTS_SECONDS: integer(0, 86_400).default(30),
  CACHE_STALE_SECONDS: integer(0, 86_400).default(0),
  CACHE_MAX_BYTES: integer(2 ** 20, 2 ** 40).default(134_217_728),
  ROUTER_CACHE_METADATA_SECONDS: integer(0, 86_400).default(0),
  ROUTER_CACHE_RESULTS_SECONDS: integer(0, 86_400).default(0),
  ...openTelemetry,
  TRACE_UPSTREAM: oneOf('on', 'off').default('off'),
  LOG_LEVEL: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent').default('info'),
  LOG_OPERATIONS: oneOf('on', 'off').default('off'),
});

/** With `UPSTREAM_HTTP=allow`. */
const insideMesh = { DATASET_SERVICE_URL: plainUrl.optional(), AUTH_SERVICE_URL: plainUrl.optional() };

/** How services are reached, by these settings. */
export function routeOf(config: Pick<Config, keyof typeof route>) {
  return {
    proxies: { http: config.HTTP_PROXY, https: config.HTTPS_PROXY, except: config.NO_PROXY ?? '' },
    files: { ca: config.UPSTREAM_CA_FILE, cert: config.UPSTREAM_CERTIFICATE_FILE, key: config.UPSTREAM_KEY_FILE },
  };
}

const MAX_SHOWN_LENGTH = 80;

/** Whether a value may contain a secret, as a URL with a user, a query or a fragment may. Such values are never printed. */
const mayContainSecret = (value: string) => /[@?#]/.test(value);

/**
 * Reads the settings of the subgraph.
 *
 * @param defaults defaults of a program that differ from those of the subgraph
 * @throws ConfigError for the first invalid value, but not for one of OpenTelemetry
 */
export function readConfig(environment: Environment, defaults: Environment = {}): Config {
  const used = { ...environment };
  const shared = z.object({ ...openTelemetry, ...protocols }).safeParse(setIn(environment));
  const ignored = (shared.error?.issues ?? []).map((issue) => {
    delete used[nameIn(issue)];
    return `${sentenceOf(issue, environment)} It is ignored.`;
  });
  return { ...readSettings(settings, used, defaults), ignored };
}

/**
 * Reads the settings of a program. An empty variable counts as not set.
 *
 * @throws ConfigError for the first invalid value
 */
export function readSettings<T extends z.ZodRawShape>(
  schema: z.ZodObject<T>,
  environment: Environment,
  defaults: Environment = {},
): z.output<z.ZodObject<T>> {
  const set: Record<string, string | undefined> = { ...defaults, ...setIn(environment) };
  // As curl and undici have it, the small letters come first.
  for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY']) set[name] = set[name.toLowerCase()] ?? set[name];
  const isInsideMesh = set.UPSTREAM_HTTP === 'allow';
  const read = (isInsideMesh ? (schema.extend(insideMesh) as unknown as typeof schema) : schema).safeParse(set);
  if (read.success) return read.data;
  throw new ConfigError(sentenceOf(read.error.issues[0] as z.core.$ZodIssue, set));
}

/** The variables that are not empty. */
function setIn(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''));
}

/** The variable that an issue is about. */
function nameIn({ path }: z.core.$ZodIssue): string {
  return String(path[0]);
}

/** What is wrong with a value. */
function sentenceOf(issue: z.core.$ZodIssue, set: Environment): string {
  const name = nameIn(issue);
  const value = set[name] ?? '';
  const isSecret = (issue.code === 'custom' && issue.params?.isSecret === true) || mayContainSecret(value);
  const given = isSecret ? describeSecret(value) : JSON.stringify(value.slice(0, MAX_SHOWN_LENGTH));
  return `${name} must be ${issue.message}, but ${given} was given.`;
}

/** What may be said of a secret. Often a file that it was read from ends in a line break. */
function describeSecret(value: string): string {
  if (!/\s/.test(value)) return 'another value';
  return /\s$/.test(value) ? 'a value that ends in white space' : 'a value with white space';
}
