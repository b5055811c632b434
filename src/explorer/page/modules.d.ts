// What the bundler makes of these imports.

declare module '*.css';

declare module '*?worker' {
  const WorkerOfModule: new () => Worker;
  export default WorkerOfModule;
}
