import { setTimeout } from 'node:timers/promises';
import { Window } from 'happy-dom';

/** Shows the app in a browser without a screen, asks for the second page, and prints what is on the page each time. */
const window = new Window();
Object.assign(globalThis, { window, document: window.document });
const { createRoot } = await import('react-dom/client');
const { App } = await import('./App.tsx');

const WEATHER = '6f1d2c84-3b7e-4a59-9c10-5e8a7b4d2f31';
const root = createRoot(document.body.appendChild(document.createElement('div')));
root.render(<App id={WEATHER} />);
for (const count of [1, 2]) {
  await shown(count);
  console.log(Array.from(document.querySelectorAll('h1, li, button'), ({ textContent }) => textContent).join('\n'));
  document.querySelector('button')?.click();
}
root.unmount();
// React's scheduler keeps the process alive.
process.exit();

/** Waits until so many assets are listed. Ends the program if that takes too long. */
async function shown(count: number): Promise<void> {
  const end = performance.now() + 10_000;
  while (document.querySelectorAll('li').length !== count) {
    if (performance.now() > end) {
      console.error(
        "No assets came. Start the demo (npm run demo in the project's folder), or set GRAPHQL_URL and TOKEN.",
      );
      process.exit(1);
    }
    await setTimeout(10);
  }
}
