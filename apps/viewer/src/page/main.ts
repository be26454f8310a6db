import { App } from './app';
import { byId } from './dom';

function report(problem: unknown): void {
  const message = byId('message');
  message.textContent = String((problem as Error)?.message ?? problem);
  message.hidden = false;
  if (document.body.dataset.state === 'loading') {
    document.body.dataset.state = 'error';
  }
}

window.addEventListener('error', (event) => report(event.error ?? event.message));
window.addEventListener('unhandledrejection', (event) => report(event.reason));
new App().start().catch(report);
