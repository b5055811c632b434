import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, createZstdDecompress, zstdCompress, zstdDecompressSync } from 'node:zlib';
import { bodySizes } from '../../core/body-sizes.ts';
import { PooledBuffer } from '../../core/buffer-pool.ts';
import type { OperationMemory } from '../admission/operation-memory.ts';
import { BodyBuffer } from '../transport/body-buffer.ts';
import { EPOCHS_BYTES } from './redis-epochs.ts';
import type { Until } from './response-store.ts';

/*
 * A response as it is in Redis: encrypted with AES-256-GCM (NIST SP 800-38D), so whoever reads Redis learns only how long it
 * is, and whoever writes to Redis can only make it invalid. In clear:
 *
 *   format (1 byte) | epochs of token and dataset (32) | initialization vector (12) | authentication tag (16) | ciphertext
 *
 * The plaintext is the times (3 doubles, milliseconds of the Unix epoch), the length of the body if it is compressed, or 0 (a
 * double), and the body. The format, the epochs and the name of the key in Redis are authenticated too: a value that was moved
 * to another key is invalid.
 */

const ALGORITHM = 'aes-256-gcm';
const FORMAT = Buffer.of(2);
const IV_AT = FORMAT.length + EPOCHS_BYTES;
const IV_BYTES = 12;
const TAG_AT = IV_AT + IV_BYTES;
const TEXT_AT = TAG_AT + 16;
/** Its times and the length. */
type HeaderValues = [arrived: number, fresh: number, stale: number, length: number];
const HEADER_BYTES = 4 * 8;

/** A smaller body is not compressed. */
const MIN_COMPRESSED_BYTES = 1024;
/** It is kept compressed if that takes at most this share of its bytes. */
const WORTHWHILE = 0.9;
/** A body of at most so many bytes is decompressed at once, which takes less than a millisecond. */
const MAX_SYNC_BYTES = 262_144;
/** The size of decompressed chunks of a larger one. */
const CHUNK_BYTES = 131_072;

const compress = promisify(zstdCompress);
/** Level 1: higher ones make JSON of results hardly smaller. */
const COMPRESSION = { [constants.ZSTD_c_compressionLevel]: 1 };

/** Where a sealed response belongs, and who can open it. */
export interface Seal {
  /** The 32 bytes of the encryption key. */
  readonly secret: Buffer;
  /** The name of its key in Redis. */
  readonly name: string;
  /** Those of its token and its dataset. */
  readonly epoch: Buffer;
}

/** Milliseconds of the Unix epoch: when a response arrived, and until when it may be used. */
export interface SealedTimes extends Readonly<Record<Until, number>> {
  readonly arrived: number;
}

/** A response that was decrypted. */
export interface Opened {
  readonly times: SealedTimes;
  /** The body, compressed if `length` is not 0. */
  readonly text: Buffer;
  /** The length of the body if it is compressed, or 0. */
  readonly length: number;
}

/**
 * Compresses and encrypts a body. Undefined if it is too large.
 *
 * @param maxBytes the maximum bytes of the result
 */
export async function sealResponse(
  seal: Seal,
  { arrived, fresh, stale }: SealedTimes,
  body: Buffer,
  maxBytes: number,
): Promise<Buffer | undefined> {
  const maxText = maxBytes - TEXT_AT - HEADER_BYTES;
  const compressed = await compressIfWorthwhile(body, maxText);
  const text = compressed ?? body;
  if (text.length > maxText) return undefined;
  const head = Buffer.alloc(HEADER_BYTES);
  const values = [arrived, fresh, stale, compressed === undefined ? 0 : body.length];
  for (const [index, value] of values.entries()) head.writeDoubleLE(value, index * 8);
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, seal.secret, iv).setAAD(authenticated(seal));
  const encrypted = [cipher.update(head), cipher.update(text), cipher.final()];
  return Buffer.concat([FORMAT, seal.epoch, iv, cipher.getAuthTag(), ...encrypted]);
}

/**
 * Decrypts a response. Undefined if it is of other epochs, so it is not to be used any more; `invalid` if it is not what was
 * sealed for this key.
 */
export function openResponse(seal: Seal, sealed: Buffer): Opened | 'invalid' | undefined {
  if (sealed.length < TEXT_AT + HEADER_BYTES || sealed[0] !== FORMAT[0]) return 'invalid';
  if (!sealed.subarray(FORMAT.length, IV_AT).equals(seal.epoch)) return undefined;
  try {
    const decipher = createDecipheriv(ALGORITHM, seal.secret, sealed.subarray(IV_AT, TAG_AT));
    decipher.setAAD(authenticated(seal)).setAuthTag(sealed.subarray(TAG_AT, TEXT_AT));
    const plain = decipher.update(sealed.subarray(TEXT_AT));
    decipher.final();
    const [arrived, fresh, stale, length] = [0, 8, 16, 24].map((at) => plain.readDoubleLE(at)) as HeaderValues;
    return { times: { arrived, fresh, stale }, length, text: plain.subarray(HEADER_BYTES) };
  } catch {
    return 'invalid';
  }
}

/** The body of a decrypted response. Rejects with what reserving its memory rejects. */
export async function unpack({ text, length }: Opened, memory: OperationMemory): Promise<PooledBuffer> {
  await memory.reserve(length === 0 ? text.length : length);
  if (length === 0) return PooledBuffer.of(text);
  if (length <= MAX_SYNC_BYTES) return PooledBuffer.of(zstdDecompressSync(text));
  const body = new BodyBuffer(bodySizes, () => {});
  body.allocate(length);
  const chunks = createZstdDecompress({ chunkSize: CHUNK_BYTES });
  chunks.end(text);
  for await (const chunk of chunks) body.add(chunk, length);
  return body.join();
}

/** Undefined if compressing does not pay, or the result would be larger than allowed. */
async function compressIfWorthwhile(body: Buffer, maxBytes: number): Promise<Buffer | undefined> {
  if (body.length < MIN_COMPRESSED_BYTES) return undefined;
  const maxOutputLength = Math.min(maxBytes, Math.floor(body.length * WORTHWHILE));
  try {
    return await compress(body, { params: COMPRESSION, maxOutputLength });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE') throw error;
    return undefined;
  }
}

function authenticated({ name, epoch }: Seal): Buffer {
  return Buffer.concat([FORMAT, epoch, Buffer.from(name)]);
}
