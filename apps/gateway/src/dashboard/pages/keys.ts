import { randomUUID } from 'node:crypto';
import { type Notice, type PageContext, field, form, hidden, page } from './layout.js';
import { type Markup, html } from './markup.js';
import { curlLine } from './overview.js';

/** A key as account lists it. */
export interface ListedKey {
  id: string;
  name: string;
  /** `dds_live_…a1b2`. */
  masked: string;
  environment: 'live' | 'test';
  state: string;
  expires_at?: string | null;
  last_used_at?: string | null;
}

/** A key that was just made. A repeated form gets none: its text is shown once. */
export interface KeyShown {
  apiKey?: string;
  apiUrl: string;
}

export function keysPage(
  context: PageContext,
  keys: ListedKey[],
  made?: KeyShown,
  notice?: Notice,
): Markup {
  return page(context, {
    title: 'API keys',
    notice,
    body: html`${made?.apiKey && newKeySection(made.apiKey, made.apiUrl)}
      <section>
        <h2>Your keys</h2>
        ${keysTable(context, keys)}
      </section>
      <section>
        <h2>Another key</h2>
        ${form(context, '/keys', creationFields())}
      </section>`,
  });
}

/** After the confirmation of an address: the first keys, shown this once. */
export function firstKeysPage(context: PageContext, keys: string[], apiUrl: string): Markup {
  return page(context, {
    title: 'Welcome',
    notice: { kind: 'done', text: 'Your address is confirmed and the account is open.' },
    body: html`${keys.map((key) => newKeySection(key, apiUrl))}
      <p class="actions"><a class="button" href="/">Go to the overview</a></p>`,
  });
}

/** Shown once, filled into a line that works at once. */
function newKeySection(key: string, apiUrl: string): Markup {
  const domainName = key.startsWith('dds_test_') ? 'registered.test' : 'example.com';
  return html`<section>
    <h2>Your ${key.startsWith('dds_test_') ? 'test' : 'live'} key</h2>
    <p>Copy it now: it is shown this once and cannot be read again.</p>
    <pre data-copy><code>${key}</code></pre>
    ${curlLine(apiUrl, key, domainName)}
  </section>`;
}

function keysTable(context: PageContext, keys: ListedKey[]): Markup {
  if (keys.length === 0) return html`<p>No key yet.</p>`;
  return html`<div class="table">
    <table>
      <thead>
        <tr>
          <th>Name</th>
          <th>Key</th>
          <th>State</th>
          <th>Last used</th>
          <th></th>
        </tr>
      </thead>
      <tbody>
        ${keys.map((key) => keyRow(context, key))}
      </tbody>
    </table>
  </div>`;
}

function keyRow(context: PageContext, key: ListedKey): Markup {
  const actions =
    key.state === 'active'
      ? html`${form(context, `/keys/${key.id}/rotate`, html`<button class="link">Rotate</button>`)}
        ${form(context, `/keys/${key.id}/revoke`, html`<button class="link">Revoke</button>`)}`
      : undefined;
  const ends = key.expires_at ? ` until ${key.expires_at.slice(0, 16).replace('T', ' ')}` : '';
  return html`<tr>
    <td>${key.name}</td>
    <td><code>${key.masked}</code></td>
    <td>${key.state}${ends}</td>
    <td>${key.last_used_at?.slice(0, 10) ?? 'never'}</td>
    <td>${actions}</td>
  </tr>`;
}

function creationFields(): Markup {
  // The same form sent twice makes one key.
  return html`${hidden('idempotency_key', randomUUID())}
    ${field({ name: 'name', label: 'Name', hint: 'What it is for, for example the program that uses it.' })}
    <label
      >Kind
      <select name="environment">
        <option value="live">Live: answers every name and costs credits</option>
        <option value="test">Test: answers names under .test, costs nothing</option>
      </select></label
    >
    <button>Create the key</button>`;
}
