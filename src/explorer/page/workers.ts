import EditorWorker from 'monaco-editor/esm/vs/editor/editor.worker.js?worker';
import JsonWorker from 'monaco-editor/esm/vs/language/json/json.worker.js?worker';
import GraphQLWorker from 'monaco-graphql/esm/graphql.worker.js?worker';

// Monaco, the editor, asks here for its workers. GraphiQL has a module of its own for this, which writes a line to the
// console for each.
Object.assign(globalThis, {
  MonacoEnvironment: {
    getWorker: (_id: string, label: string): Worker => {
      if (label === 'json') return new JsonWorker();
      return label === 'graphql' ? new GraphQLWorker() : new EditorWorker();
    },
  },
});
