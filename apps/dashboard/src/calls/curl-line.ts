import { type Markup, html } from '#libs/public-http';

/** Returns a command line to paste into a shell. */
export function curlLine(apiUrl: string, key: string, domainName: string): Markup {
  return html`<pre
    data-copy="line"
  ><code>curl -H "Authorization: Bearer ${key}" "${apiUrl}/v2.0/whois/live?domainName=${domainName}"</code></pre>`;
}
