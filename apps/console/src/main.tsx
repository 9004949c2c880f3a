import { render } from 'preact';
import { App } from './shell/app.js';
import { showOddLetters } from './ui/odd-letters.js';
import './styles/base.css';
import './styles/controls.css';
import './styles/finding.css';
import './styles/lists.css';
import './styles/overview.css';
import './styles/statistics.css';
import './styles/task.css';

showOddLetters();
const place = document.getElementById('app');
// In a turn of its own: the code has run in this one.
if (place !== null) setTimeout(() => render(<App />, place));
