import { createEditor, getOrCreateModel, onEditorContainerKeyDown, useMonaco } from '@graphiql/react';
import { type KeyboardEvent, useEffect, useRef } from 'react';
import type { Viewing } from './pane-view.ts';
import { queryResponse } from './response-client.ts';
import { useQuery } from './use-query.ts';

/** The response as text, in an editor that cannot be typed into. */
export function JsonTab({ responseId, view, onView }: { responseId: number } & Viewing) {
  const isIndented = !view.isRaw;
  const { result: text, error } = useQuery(`${responseId} ${isIndented}`, () =>
    queryResponse(responseId, 'text', isIndented),
  );
  const element = useRef<HTMLElement>(null);
  const monaco = useMonaco((state) => state.monaco);
  useEffect(() => {
    if (monaco === undefined || element.current === null) return;
    editor ??= makeEditor();
    // Wrapping the lines of a long text, and its colours, would freeze the page.
    const isLong = (text?.length ?? 0) > MAX_RICH_LENGTH;
    editor.view.updateOptions({ wordWrap: isLong ? 'off' : 'on' });
    monaco.editor.setModelLanguage(editor.model, isLong ? 'plaintext' : 'json');
    editor.model.setValue(text ?? '');
    element.current.append(editor.host);
  }, [monaco, text]);
  return (
    <>
      <div className="response-tools">
        <button type="button" aria-pressed={!isIndented} onClick={() => onView({ isRaw: isIndented || undefined })}>
          As received
        </button>
      </div>
      {error !== undefined && <p role="alert">{error}</p>}
      <section
        ref={element}
        className="response-json graphiql-editor"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: Enter moves into the editor
        tabIndex={0}
        aria-label="Response"
        onKeyDown={(event: KeyboardEvent<HTMLElement>) =>
          onEditorContainerKeyDown(event as KeyboardEvent<HTMLDivElement>)
        }
      />
    </>
  );
}

/** A longer text has no colours, and its lines are not wrapped. The number of characters. */
const MAX_RICH_LENGTH = 300_000;

/** The editor, made once: an editor that is disposed while it works reports an error. */
let editor: ReturnType<typeof makeEditor> | undefined;

function makeEditor() {
  const host = document.createElement('div');
  const model = getOrCreateModel({ uri: 'received.json', value: '' });
  const view = createEditor(
    { current: host },
    {
      model,
      readOnly: true,
      wordWrap: 'on',
      lineNumbers: 'off',
      folding: true,
      bracketPairColorization: { enabled: false },
      ariaLabel: 'Response as JSON',
    },
  );
  return { host, model, view };
}
