// The types of imports that the bundler resolves, and of a package without types.

declare module '*.css';

declare module '*?worker' {
  const WorkerOfModule: new () => Worker;
  export default WorkerOfModule;
}

declare module 'monaco-editor/esm/vs/editor/browser/config/tabFocus.js' {
  /** Sets whether the Tab key leaves an editor, for all editors. */
  export const TabFocus: { setTabFocusMode(leaves: boolean): void };
}
