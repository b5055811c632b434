import { useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { useEffect } from 'react';

/**
 * Makes the whole page work by keyboard: Ctrl-Enter runs the operation wherever the focus is, not only in an editor, and
 * Tab leaves an editor in place of indenting (Ctrl-M there changes that).
 */
export function Keyboard() {
  const { run } = useGraphiQLActions();
  const editors = useGraphiQL(({ queryEditor, variableEditor, responseEditor }) => ({
    queryEditor,
    variableEditor,
    responseEditor,
  }));
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isRun = event.key === 'Enter' && (event.ctrlKey || event.metaKey);
      // The editors do it by themselves.
      if (!isRun || (event.target as Element).closest('.monaco-editor') !== null) return;
      event.preventDefault();
      run();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [run]);
  const { queryEditor, variableEditor, responseEditor } = editors;
  useEffect(() => {
    for (const editor of [queryEditor, variableEditor, responseEditor]) editor?.updateOptions({ tabFocusMode: true });
  }, [queryEditor, variableEditor, responseEditor]);
  return null;
}
