import { type KeyboardEvent, type ReactNode, useId, useRef } from 'react';

interface TabsProps<Tab extends string> {
  /** What they are tabs of, for screen readers. */
  readonly label: string;
  /** The name of each tab, in their order. */
  readonly names: Readonly<Partial<Record<Tab, string>>>;
  readonly open: Tab;
  readonly onOpen: (tab: Tab) => void;
  /** What the open tab shows. */
  readonly children: ReactNode;
  /** What is at the end of the bar of tabs. */
  readonly end: ReactNode;
}

/** Tabs as WAI-ARIA describes them: the arrow keys move between them, Tab leads into the open one. */
export function Tabs<Tab extends string>({ label, names, open, onOpen, children, end }: TabsProps<Tab>) {
  const tabs = Object.keys(names) as Tab[];
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    const at = tabs.indexOf(open);
    const last = tabs.length - 1;
    const steps: Record<string, number> = {
      ArrowRight: at === last ? 0 : at + 1,
      ArrowLeft: at === 0 ? last : at - 1,
      Home: 0,
      End: last,
    };
    const next = steps[event.key];
    if (next === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    onOpen(tabs[next] ?? open);
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[next]?.focus();
  };
  return (
    <>
      <div className="response-bar">
        <div ref={list} role="tablist" aria-label={label} className="response-tabs" onKeyDown={onKeyDown}>
          {tabs.map((tab) => (
            <button
              key={tab}
              type="button"
              role="tab"
              id={`${id}-${tab}`}
              aria-selected={tab === open}
              aria-controls={`${id}-panel`}
              tabIndex={tab === open ? 0 : -1}
              onClick={() => onOpen(tab)}
            >
              {names[tab]}
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
