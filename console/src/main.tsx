import { render } from 'preact';
import { App } from './app/app.tsx';
import './styles/tokens.css';
import './styles/base.css';
import './styles/components.css';
import './styles/data.css';
import './styles/forms.css';

render(<App />, document.getElementById('console')!);
