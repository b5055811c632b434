import {
  type FieldNode,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  type SelectionSetNode,
  visit,
} from 'graphql';
import type { Operation } from '../operation.ts';
import type { FileFormat, Files } from './file-link.ts';
import { fieldsIn, isAt, operationIn } from './selected-fields.ts';
import type { DatasetSummary } from './worker/protocol.ts';

/**
 * What makes links to the results of a dataset as a file, from an operation: the same arguments and variables, but only the link
 * selected. A row of the file has a column for each metric.
 *
 * @param path where the dataset is in the `data` of the operation's response
 * @returns undefined if the operation selects no `results` there
 */
export function filesOf(sent: Operation, path: DatasetSummary['path']): Files | undefined {
  const document = parse(sent.query);
  const operation = operationIn(document, sent);
  const dataset = fieldsIn(operation?.selectionSet, document).find((field) => isAt(path[0], field));
  const results = fieldsIn(dataset?.selectionSet, document).find(({ name }) => name.value === 'results');
  if (operation === undefined || dataset === undefined || results === undefined) return undefined;
  const { alias: _, ...unnamed } = results;
  const operationOf = (format: FileFormat): Operation => {
    const link = parse(`{ rowsFile(format: ${format}, layout: WIDE) { ticketUrl } }`)
      .definitions[0] as OperationDefinitionNode;
    const selectionSet = selecting({
      ...dataset,
      selectionSet: selecting({ ...unnamed, selectionSet: link.selectionSet }),
    });
    const used = new Set<string>();
    visit(selectionSet, { Variable: ({ name }) => void used.add(name.value) });
    const definition: OperationDefinitionNode = {
      ...operation,
      name: { kind: Kind.NAME, value: 'File' },
      variableDefinitions: (operation.variableDefinitions ?? []).filter(({ variable }) =>
        used.has(variable.name.value),
      ),
      selectionSet,
    };
    return { query: print(definition), variables: sent.variables };
  };
  return { operationOf, path: [...path, 'results', 'rowsFile', 'ticketUrl'] };
}

function selecting(field: FieldNode): SelectionSetNode {
  return { kind: Kind.SELECTION_SET, selections: [field] };
}
