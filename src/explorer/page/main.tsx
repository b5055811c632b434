import './workers.ts';
import 'graphiql/style.css';
import './page.css';
import { createRoot } from 'react-dom/client';
import { Page } from './page.tsx';
import { loadSettings } from './settings.ts';

const container = document.getElementById('page');
if (container === null) throw new Error('The page has no element for its content.');
const root = createRoot(container);
try {
  root.render(<Page settings={await loadSettings()} />);
} catch (error) {
  root.render(<p role="alert">GraphiQL could not be started. {String(error)}</p>);
}
