import { useGraphiQLActions } from '@graphiql/react';
import { TabFocus } from 'monaco-editor/esm/vs/editor/browser/config/tabFocus.js';
import { useEffect } from 'react';

// In an editor, Tab moves the focus instead of indenting; Ctrl-M toggles that. The editors' option of this name does not
// change the key.
TabFocus.setTabFocusMode(true);

/** Makes Ctrl-Enter run the operation wherever the focus is, not only in an editor. */
export function Keyboard() {
  const { run } = useGraphiQLActions();
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isRun = event.key === 'Enter' && (event.ctrlKey || event.metaKey);
      // The editors handle the key themselves.
      if (!isRun || (event.target as Element).closest('.monaco-editor') !== null) return;
      event.preventDefault();
      run();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [run]);
  return null;
}
