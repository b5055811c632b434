import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { FileFormat } from '../../src/graphql/results-file.ts';
import { start, type TestBed } from '../support/harness.ts';
import { fileTicketUrl, receive, tickets } from '../support/results-files.ts';
import { type Asset, bodyOf, type Layout } from './table.ts';

/** Starts a subgraph whose service has these assets. */
export async function startWith(assets: readonly Asset[] | string): Promise<TestBed> {
  const bed = await start({ env: { ...tickets, LOG_LEVEL: 'silent' } });
  const body = typeof assets === 'string' ? assets : bodyOf(assets);
  bed.simulator.intercept(({ operation }) => (operation === 'getDatasetResults' ? { body } : undefined));
  return bed;
}

/** The link of a file, as the API gives it. */
export function linkOf(bed: TestBed, format: FileFormat, layout: Layout, filter = ''): Promise<string> {
  return fileTicketUrl(bed, `rowsFile(format: ${format.toUpperCase()}, layout: ${layout.toUpperCase()})`, filter);
}

/** Downloads a file of rows by its link, in the same way. */
export async function download(bed: TestBed, format: FileFormat, layout: Layout, filter = ''): Promise<string> {
  return saveFrom(bed, format, await linkOf(bed, format, layout, filter));
}

/** Downloads a file by its link. Returns its path. The test removes it at its end. */
export async function saveFrom(bed: TestBed, format: FileFormat, link: string): Promise<string> {
  const { status, isComplete, bytes } = await receive(bed, link, {});
  expect([status, isComplete]).toEqual([200, true]);
  const folder = await mkdtemp(join(tmpdir(), 'results-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, `results.${format === 'csv_spreadsheet' ? 'csv' : format}`);
  await writeFile(path, bytes);
  return path;
}
