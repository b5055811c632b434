/** Unique secrets. Each leaks if it is found in an output. */
export const canaries = {
  token: 'canary.of-the-token',
  datasetId: 'canary-of-a-dataset-id',
  assetId: 'canary-of-an-asset-id',
  /** The service's text in headers and in error bodies. */
  service: 'canary-of-the-service',
  routerSecret: 'canary-of-the-router',
  ticketSecret: 'canary-of-the-secret-of-all-tickets',
  email: 'canary-of-an-email@example.com',
  password: 'canary-of-a-password',
} as const;

/** A download ticket, or its start. */
export const ticket = /eyJ[\w-]{20,}\.\./;

export type Canary = keyof typeof canaries;

const everyCanary = Object.keys(canaries) as Canary[];

/** The canaries in a text: plain, percent-encoded, in hexadecimal, or within base64. */
export function canariesIn(text: string, names: readonly Canary[] = everyCanary): Canary[] {
  return names.filter((name) => formsOf(canaries[name]).some((form) => text.includes(form)));
}

function formsOf(word: string): string[] {
  const bytes = Buffer.from(word);
  return [word, encodeURIComponent(word), bytes.toString('hex'), ...[0, 1, 2].map((offset) => within(bytes, offset))];
}

/** The base64 characters of the bytes that do not depend on their neighbours, for an offset within a group of three. */
function within(bytes: Buffer, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  return text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
}
