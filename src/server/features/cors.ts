import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';

/** Seconds for which a browser remembers what is allowed. */
const MAX_AGE_SECONDS = 600;

/** Lets pages of other origins send queries from a browser (Fetch Standard, "CORS protocol"). */
export async function allowOrigins(app: FastifyInstance, origins: readonly string[]): Promise<void> {
  await app.register(cors, {
    origin: [...origins],
    methods: ['GET', 'POST'],
    exposedHeaders: ['x-request-id'],
    maxAge: MAX_AGE_SECONDS,
  });
}
