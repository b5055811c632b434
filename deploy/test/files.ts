import { readFileSync } from 'node:fs';
import { parse, parseAllDocuments } from 'yaml';
import { PROJECT } from '../../test/support/process.ts';

/** A file of the project, as text. */
export function read(path: string): string {
  return readFileSync(`${PROJECT}${path}`, 'utf8');
}

/** A YAML file with one document. */
// biome-ignore lint/suspicious/noExplicitAny: tests read parts of any shape
export function readYaml(path: string): any {
  return parse(read(path), { strict: true });
}

/** All documents of a YAML file. */
export function readAllYaml(path: string): unknown[] {
  return parseAllDocuments(read(path), { strict: true }).map((document) => {
    if (document.errors.length > 0) throw document.errors[0];
    return document.toJS();
  });
}
