import { useGraphiQLActions } from '@graphiql/react';
import { TabFocus } from 'monaco-editor/esm/vs/editor/browser/config/tabFocus.js';
import { useEffect } from 'react';

// In an editor, into which Enter leads, Tab goes on in place of indenting; Ctrl-M there changes that. The editors' own
// option of this name has no effect on the key.
TabFocus.setTabFocusMode(true);

/** Makes Ctrl-Enter run the operation wherever the focus is, not only in an editor. */
export function Keyboard() {
  const { run } = useGraphiQLActions();
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
  return null;
}
