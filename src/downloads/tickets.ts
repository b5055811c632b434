import { hkdfSync } from 'node:crypto';
import { EncryptJWT, errors, type JWTDecryptGetKey, jwtDecrypt } from 'jose';
import { type BearerAuthorization, bearerAuthorization, tokenOf } from '../core/bearer-token.ts';
import { isDatasetId } from '../core/dataset-id.ts';

/** Which file a ticket opens, and on whose behalf. */
export interface TicketContents {
  readonly datasetId: string;
  readonly authorization: BearerAuthorization;
}

/** What tickets are made and opened with. */
export interface TicketOptions {
  /** The newest first: it makes tickets, and each of them opens those that it has made. */
  readonly secrets: readonly string[];
  /** How long a ticket can be used; up to one second longer. */
  readonly seconds: number;
}

/**
 * Why a ticket opens nothing: it has expired; or it is `unusable`, whatever may be wrong with it. That a ticket has
 * expired is told only of one that was made here.
 */
export class TicketError extends Error {
  readonly reason: 'expired' | 'unusable';

  constructor(reason: 'expired' | 'unusable', cause: unknown) {
    super(reason, { cause });
    this.name = 'TicketError';
    this.reason = reason;
  }
}

/**
 * The longest ticket: that of the longest dataset id and of a token of 8000 characters fits in, unless many of these are
 * quotation marks and backslashes. A request's head has to fit into 16 kB, with all else that browsers send.
 */
const MAX_TICKET_LENGTH = 12_000;

const KEY_MANAGEMENT = 'dir';
const ENCRYPTION = 'A256GCM';
/** So that no other encrypted token is taken for a ticket, should one ever be made with the same secret. */
const TYPE = 'dataset-download';

/** What keys are derived for (RFC 5869, section 3.2); a change of what tickets hold needs another one. */
const INFO = 'dataset-subgraph download ticket 1';
const KEY_BYTES = 32;
const KEY_ID_BYTES = 8;

/**
 * Download tickets: encrypted, short-lived texts for URLs that hold a dataset id, a caller's token and the time of their
 * end, and nothing else (JWE compact serialisation, RFC 7516). Nothing is kept of them: whoever has the secret can open
 * them, any replica of the subgraph for one.
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

  /** Makes a ticket; undefined where it would be too long to be read back. */
  async make({ datasetId, authorization }: TicketContents): Promise<string | undefined> {
    const ticket = await new EncryptJWT({ id: datasetId, token: tokenOf(authorization) })
      .setProtectedHeader({ alg: KEY_MANAGEMENT, enc: ENCRYPTION, typ: TYPE, kid: this.#newest.id })
      .setExpirationTime(Math.ceil(Date.now() / 1000) + this.#seconds)
      .encrypt(this.#newest.key);
    return ticket.length <= MAX_TICKET_LENGTH ? ticket : undefined;
  }

  /** @throws TicketError for anything but a ticket of these secrets, as it was made, before its end */
  async open(ticket: string): Promise<TicketContents> {
    try {
      if (ticket.length > MAX_TICKET_LENGTH || !isCanonical(ticket)) throw new TypeError('no ticket');
      const { payload } = await jwtDecrypt(ticket, this.#keyOf, {
        keyManagementAlgorithms: [KEY_MANAGEMENT],
        contentEncryptionAlgorithms: [ENCRYPTION],
        typ: TYPE,
        requiredClaims: ['exp'],
        clockTolerance: 0,
      });
      const { id, token } = payload;
      const authorization = typeof token === 'string' ? bearerAuthorization(`Bearer ${token}`) : undefined;
      if (typeof id !== 'string' || !isDatasetId(id) || authorization === undefined) throw new TypeError('no contents');
      return { datasetId: id, authorization };
    } catch (error) {
      throw new TicketError(error instanceof errors.JWTExpired ? 'expired' : 'unusable', error);
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

/** Whether every part is base64url as it is written: other last bits of a part would decode to the same bytes. */
function isCanonical(ticket: string): boolean {
  return ticket.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part);
}
