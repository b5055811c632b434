import './base.css';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { loadSettings } from './settings.ts';

const container = document.getElementById('page');
if (container === null) throw new Error('The page has no element for its content.');
const root = createRoot(container);
try {
  root.render(<App settings={await loadSettings()} />);
} catch (error) {
  root.render(<p role="alert">GraphiQL could not be started. {String(error)}</p>);
}
