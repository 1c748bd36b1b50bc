import { html } from '#libs/public-http';
import { apiPage } from './api-page.js';

/** Returns the page at the root of the API for browsers. It links to the dashboard and the documentation. */
export function rootPage(dashboardUrl: string): string {
  return apiPage(
    dashboardUrl,
    'This is the address of the API',
    html`<p class="lead">It answers programs that send a key.</p>
      <section>
        <ul class="rows">
          <li>
            <div>
              <a href="/docs">API reference</a>
              <p class="quiet">Every operation with its price, an example and code.</p>
            </div>
          </li>
          <li>
            <div>
              <a href="/llms.txt">For language models</a>
              <p class="quiet">A short overview as text. Agents can use most operations at /mcp.</p>
            </div>
          </li>
          <li>
            <div>
              <a href="${dashboardUrl}/">The dashboard</a>
              <p class="quiet">Sign up, create keys, buy credits.</p>
            </div>
          </li>
          <li>
            <div>
              <a href="/health">Health</a>
              <p class="quiet">Whether the API is up.</p>
            </div>
          </li>
        </ul>
      </section>`,
  );
}
