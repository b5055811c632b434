import EditorWorker from 'monaco-editor/esm/vs/editor/editor.worker.js?worker';
import JsonWorker from 'monaco-editor/esm/vs/language/json/json.worker.js?worker';
import GraphQLWorker from 'monaco-graphql/esm/graphql.worker.js?worker';

// The workers of Monaco, the editor. GraphiQL has a module for this, but it writes a line to the console for each worker.
Object.assign(globalThis, {
  MonacoEnvironment: {
    getWorker: (_id: string, label: string): Worker => {
      if (label === 'json') return new JsonWorker();
      return label === 'graphql' ? new GraphQLWorker() : new EditorWorker();
    },
  },
});
