import { type KeyboardEvent, type ReactNode, useId, useRef } from 'react';
import { type TabName, tabNames } from './pane-view.ts';

/** Tabs as WAI-ARIA describes them: the arrow keys move between them, Tab leads into the open one. */
export function Tabs(props: { open: TabName; onOpen: (tab: TabName) => void; children: ReactNode; end: ReactNode }) {
  const { open, onOpen, children, end } = props;
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    const at = tabNames.indexOf(open);
    const last = tabNames.length - 1;
    const steps: Record<string, number> = {
      ArrowRight: at === last ? 0 : at + 1,
      ArrowLeft: at === 0 ? last : at - 1,
      Home: 0,
      End: last,
    };
    const next = steps[event.key];
    if (next === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    onOpen(tabNames[next] ?? open);
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[next]?.focus();
  };
  return (
    <>
      <div className="response-bar">
        <div ref={list} role="tablist" aria-label="Response" className="response-tabs" onKeyDown={onKeyDown}>
          {tabNames.map((name) => (
            <button
              key={name}
              type="button"
              role="tab"
              id={`${id}-${name}`}
              aria-selected={name === open}
              aria-controls={`${id}-panel`}
              tabIndex={name === open ? 0 : -1}
              onClick={() => onOpen(name)}
            >
              {name}
            </button>
          ))}
        </div>
        {end}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${open}`} className="response-panel">
        {children}
      </div>
    </>
  );
}
