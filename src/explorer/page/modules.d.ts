// What the bundler makes of these imports, and what a package does not describe.

declare module '*.css';

declare module '*?worker' {
  const WorkerOfModule: new () => Worker;
  export default WorkerOfModule;
}

declare module 'monaco-editor/esm/vs/editor/browser/config/tabFocus.js' {
  /** Whether the Tab key leaves editors; for all of them together. */
  export const TabFocus: { setTabFocusMode(leaves: boolean): void };
}
