import { createRequire } from 'node:module';
import { expect } from 'vitest';
import type { Answer } from './harness.ts';

/** A node of a trace, as Apollo's format has it. */
export interface TraceNode {
  responseName?: string;
  index?: number;
  type?: string;
  child: TraceNode[];
  error: { message: string; json: string }[];
}

const { Trace } = createRequire(createRequire(import.meta.url).resolve('@apollo/server'))(
  '@apollo/usage-reporting-protobuf',
) as { Trace: { decode(bytes: Uint8Array): { root: TraceNode } } };

/** The header of a request for a trace. */
export const askingForTrace = { 'apollo-federation-include-trace': 'ftv1' };

/** The trace of a response that has no other extension. */
export function traceOf({ body }: Answer): TraceNode {
  expect(Object.keys(body.extensions)).toEqual(['ftv1']);
  return Trace.decode(Buffer.from(body.extensions.ftv1, 'base64')).root;
}

/** All nodes below one. */
export function nodesIn(node: TraceNode): TraceNode[] {
  return node.child.flatMap((child) => [child, ...nodesIn(child)]);
}

/** The fields of a trace; the places of lists apart. */
export const fieldsIn = (root: TraceNode) => nodesIn(root).filter(({ type }) => type !== '');
