import './workers.ts';
import 'graphiql/style.css';
import './page.css';
import { createRoot } from 'react-dom/client';
import { Page } from './page.tsx';
import { loadSettings } from './settings.ts';

const place = document.getElementById('page');
if (place === null) throw new Error('The page has no place for its content.');
const root = createRoot(place);
try {
  root.render(<Page settings={await loadSettings()} />);
} catch (error) {
  root.render(<p role="alert">GraphiQL could not be started. {String(error)}</p>);
}
