import { type FieldNode, parse, valueFromASTUntyped } from 'graphql';
import type { Operation } from '../../operation.ts';
import { fieldsIn, isAt, operationIn } from '../selected-fields.ts';

/** The quantiles of the field at a path of `data`. Undefined for a field without quantiles. */
export type QuantilesAt = (path: readonly (string | number)[]) => readonly number[] | undefined;

/**
 * Reads which quantiles an operation selects, because its response does not repeat them.
 *
 * @param body the request as JSON. It is parsed once a path is asked for: most operations select no quantiles
 */
export function selectedQuantiles(body: string): QuantilesAt {
  let known: QuantilesAt | undefined;
  return (path) => {
    known ??= quantilesIn(JSON.parse(body));
    return known(path);
  };
}

function quantilesIn(sent: Operation): QuantilesAt {
  const document = parse(sent.query);
  const operation = operationIn(document, sent);
  const variables: Record<string, unknown> = { ...(sent.variables as object | undefined) };
  for (const { variable, defaultValue } of operation?.variableDefinitions ?? [])
    if (defaultValue !== undefined) variables[variable.name.value] ??= valueFromASTUntyped(defaultValue);
  return (path) => {
    let sets = [operation?.selectionSet];
    let fields: FieldNode[] = [];
    for (const key of path.filter((part) => typeof part === 'string')) {
      fields = sets.flatMap((set) => fieldsIn(set, document)).filter((field) => isAt(key, field));
      sets = fields.map(({ selectionSet }) => selectionSet);
    }
    const field = fields.find(({ name }) => name.value === 'quantiles');
    const of = field?.arguments?.find(({ name }) => name.value === 'of');
    // A single number is a list of it.
    return of && [valueFromASTUntyped(of.value, variables)].flat().filter((each) => typeof each === 'number');
  };
}
