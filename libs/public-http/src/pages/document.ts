import { type Markup, html } from './markup.js';

export interface DocumentParts {
  title: string;
  banner?: Markup;
  navigation?: Markup;
  body: Markup;
  /** URLs of style sheets, the shared one first. */
  styles: readonly string[];
  scripts?: readonly string[];
  icon: string;
  /** The origin of the dashboard, which has the start page, prices and terms; empty on the dashboard itself. */
  dashboardUrl?: string;
}

const FOOTER: readonly (readonly [path: string, text: string])[] = [
  ['/prices', 'Prices'],
  ['/documents', 'Documents'],
  ['/status', 'Status'],
  ['/terms', 'Terms'],
  ['/privacy', 'Privacy'],
  ['/contact', 'Contact'],
];

export function htmlDocument(parts: DocumentParts): Markup {
  const { title, banner, navigation, body, styles, scripts = [], icon, dashboardUrl = '' } = parts;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · Domain Data Service</title>
        <link rel="icon" href="${icon}" type="image/svg+xml" />
        ${styles.map((address) => html`<link rel="stylesheet" href="${address}" />`)}
        ${scripts.map((address) => html`<script src="${address}" defer></script>`)}
      </head>
      <body>
        <a class="skip" href="#content">Skip to the content</a>
        ${banner}
        <header>
          <div class="bar">
            <a class="brand" href="${dashboardUrl}/">Domain Data Service</a>
            <nav aria-label="Main">${navigation}</nav>
          </div>
        </header>
        <main id="content">
          <h1>${title}</h1>
          ${body}
        </main>
        <footer>
          <nav class="bar" aria-label="About the service">
            ${FOOTER.map(([path, text]) => html`<a href="${dashboardUrl}${path}">${text}</a>`)}
          </nav>
        </footer>
      </body>
    </html> `;
}
