/** Words that nothing but what is meant holds, so that finding one where it does not belong is a leak. */
export const canaries = {
  token: 'canary.of-the-token',
  datasetId: 'canary-of-a-dataset-id',
  assetId: 'canary-of-an-asset-id',
  /** What the service says in headers and bodies that are no data. */
  service: 'canary-of-the-service',
  routerSecret: 'canary-of-the-router',
  ticketSecret: 'canary-of-the-secret-of-all-tickets',
  email: 'canary-of-an-email@example.com',
  password: 'canary-of-a-password',
} as const;

/** A download ticket, or the beginning of one. */
export const ticket = /eyJ[\w-]{20,}\.\./;

export type Canary = keyof typeof canaries;

const everyCanary = Object.keys(canaries) as Canary[];

/** Which of these canaries a text holds: as they are, percent-encoded, in hexadecimal, or within something in base64. */
export function canariesIn(text: string, names: readonly Canary[] = everyCanary): Canary[] {
  return names.filter((name) => formsOf(canaries[name]).some((form) => text.includes(form)));
}

function formsOf(word: string): string[] {
  const bytes = Buffer.from(word);
  return [word, encodeURIComponent(word), bytes.toString('hex'), ...[0, 1, 2].map((place) => within(bytes, place))];
}

/** The characters of base64 that are the same whatever stands around the bytes, when so many stand before a triple. */
function within(bytes: Buffer, place: number): string {
  const text = Buffer.concat([Buffer.alloc(place), bytes]).toString('base64');
  return text.slice(Math.ceil((place * 8) / 6), Math.floor(((place + bytes.length) * 8) / 6));
}
