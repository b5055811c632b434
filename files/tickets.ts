import { hkdfSync } from 'node:crypto';
import { EncryptJWT, errors, type JWTDecryptGetKey, jwtDecrypt } from 'jose';
import { type BearerAuthorization, bearerAuthorization, tokenOf } from '../src/core/bearer-token.ts';
import { isDatasetId } from '../src/core/dataset-id.ts';

/** The file that a ticket opens, and the token that it uses. */
export interface TicketContents {
  readonly datasetId: string;
  readonly authorization: BearerAuthorization;
  /** Which results the file has, and how, as in the query of its URL. Undefined for the file of a static dataset. */
  readonly results?: string;
}

export interface TicketOptions {
  /** The newest first. Only the newest makes tickets; all of them open tickets. */
  readonly secrets: readonly string[];
  /** The lifetime of a ticket; it may be up to one second longer. */
  readonly seconds: number;
}

/**
 * Why a ticket was rejected: it has expired, or it is invalid for any other reason, because details would only help a forger.
 * Only authentic tickets are reported as expired.
 */
export class TicketError extends Error {
  readonly reason: 'expired' | 'invalid';

  constructor(reason: 'expired' | 'invalid', cause: unknown) {
    super(reason, { cause });
    this.name = 'TicketError';
    this.reason = reason;
  }
}

/**
 * The maximum length of a ticket. The longest dataset id and the longest token fit, unless the token has many quotation marks and
 * backslashes. The headers of a request must fit into 32 kB, including all that browsers send.
 */
const MAX_TICKET_LENGTH = 18_000;

const KEY_MANAGEMENT = 'dir';
const ENCRYPTION = 'A256GCM';
/** Distinguishes tickets for each kind of file, and from other encrypted tokens of the same secret. */
const TYPES = { static: 'dataset-download', results: 'dataset-results' };

/** What a ticket is for: the file of a static dataset, or results. */
export type TicketKind = keyof typeof TYPES;

/** The info of the key derivation (RFC 5869, section 3.2). Change it when the contents of tickets change. */
const INFO = 'dataset-subgraph download ticket 1';
const KEY_BYTES = 32;
const KEY_ID_BYTES = 8;

/**
 * Download tickets: encrypted, short-lived texts for URLs. A ticket holds a dataset id, the client's token, its expiry time
 * and, for results, which ones (JWE compact serialisation, RFC 7516). Tickets are stateless: every replica with the same
 * secret can open them.
 */
export class Tickets {
  readonly #keys: ReadonlyMap<string, Uint8Array>;
  readonly #newest: { readonly id: string; readonly key: Uint8Array };
  readonly #seconds: number;

  constructor({ secrets, seconds }: TicketOptions) {
    const keys = secrets.map((secret) => ({
      id: Buffer.from(derive(secret, `${INFO} key id`, KEY_ID_BYTES)).toString('base64url'),
      key: derive(secret, INFO, KEY_BYTES),
    }));
    const [newest] = keys;
    if (newest === undefined) throw new TypeError('Tickets need a secret.');
    this.#newest = newest;
    this.#keys = new Map(keys.map(({ id, key }) => [id, key]));
    this.#seconds = seconds;
  }

  /** Makes a ticket; undefined if it would be too long. */
  async make({ datasetId, authorization, results }: TicketContents): Promise<string | undefined> {
    const typ = TYPES[results === undefined ? 'static' : 'results'];
    const ticket = await new EncryptJWT({ id: datasetId, token: tokenOf(authorization), ...(results && { results }) })
      .setProtectedHeader({ alg: KEY_MANAGEMENT, enc: ENCRYPTION, typ, kid: this.#newest.id })
      .setExpirationTime(Math.ceil(Date.now() / 1000) + this.#seconds)
      .encrypt(this.#newest.key);
    return ticket.length <= MAX_TICKET_LENGTH ? ticket : undefined;
  }

  /** @throws TicketError unless the ticket was made for this with one of the secrets, is unchanged and has not expired */
  async open(ticket: string, kind: TicketKind): Promise<TicketContents> {
    try {
      if (ticket.length > MAX_TICKET_LENGTH || !isCanonical(ticket)) throw new TypeError('no ticket');
      const { payload } = await jwtDecrypt(ticket, this.#keyOf, {
        keyManagementAlgorithms: [KEY_MANAGEMENT],
        contentEncryptionAlgorithms: [ENCRYPTION],
        typ: TYPES[kind],
        requiredClaims: ['exp'],
        clockTolerance: 0,
      });
      const { id, token, results } = payload;
      const authorization = typeof token === 'string' ? bearerAuthorization(`Bearer ${token}`) : undefined;
      if (typeof id !== 'string' || !isDatasetId(id) || authorization === undefined) throw new TypeError('no contents');
      return { datasetId: id, authorization, ...(typeof results === 'string' && { results }) };
    } catch (error) {
      throw new TicketError(error instanceof errors.JWTExpired ? 'expired' : 'invalid', error);
    }
  }

  readonly #keyOf: JWTDecryptGetKey<Uint8Array> = ({ kid }) => {
    const key = this.#keys.get(kid ?? '');
    if (key === undefined) throw new TypeError('no key');
    return key;
  };
}

function derive(secret: string, info: string, bytes: number): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', info, bytes));
}

/** Whether every part is canonical base64url: different last bits of a part could decode to the same bytes. */
function isCanonical(ticket: string): boolean {
  return ticket.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part);
}
