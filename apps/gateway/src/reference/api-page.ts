import { type Markup, html, htmlDocument } from '#libs/public-http';

export const STYLES_PATH = '/assets/pages.css';

export const SCRIPT_PATH = '/assets/reference.js';

/** The files that the API's own pages may load: their style sheet and icon. Only the reference has a script. */
export const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The policy of the reference: its script may call the API, but cannot write markup. */
export const REFERENCE_POLICY = `${PAGE_POLICY}; script-src 'self'; connect-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'`;

/**
 * Returns a page of the API's listener in the style of the dashboard. @param dashboardUrl the dashboard's public
 * origin.
 */
export function apiPage(
  dashboardUrl: string,
  title: string,
  body: Markup,
  scripts: readonly string[] = [],
): string {
  return htmlDocument({
    title,
    body,
    icon: '/favicon.ico',
    styles: [STYLES_PATH],
    scripts,
    dashboardUrl,
    navigation: html`<a href="/docs">API reference</a><a href="/errors">Errors</a
      ><a href="${dashboardUrl}/log-in">Dashboard</a>`,
  }).text;
}
