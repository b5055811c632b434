import { readFileSync } from 'node:fs';
import { parse, parseAllDocuments } from 'yaml';
import { PROJECT } from '../../test/process.ts';

/** A file of the project, as text. */
export function read(path: string): string {
  return readFileSync(`${PROJECT}${path}`, 'utf8');
}

/** A file in YAML that holds one document. */
// biome-ignore lint/suspicious/noExplicitAny: tests look at parts of it, whatever its shape
export function readYaml(path: string): any {
  return parse(read(path), { strict: true });
}

/** All documents of a file in YAML. */
export function readAllYaml(path: string): unknown[] {
  return parseAllDocuments(read(path), { strict: true }).map((document) => {
    if (document.errors.length > 0) throw document.errors[0];
    return document.toJS();
  });
}
