import { randomUUID } from 'node:crypto';
import { curlLine } from '../pages/curl-line.js';
import { type Notice, type PageContext, field, form, hidden, page } from '../pages/layout.js';
import { type Markup, html } from '../pages/markup.js';

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
  /** Its place by age among the live keys that count. */
  rank: number | null;
}

/** A key that was just made: its text is shown once, so a repeated form gets none. */
export interface KeyShown {
  key: string;
  rank: number | null;
  apiUrl: string;
}

export interface KeysShown {
  keys: ListedKey[];
  shown?: KeyShown;
  /** How many live keys work; unknown while entitlement is unavailable. */
  allowed?: number;
}

/** Whether the plan lets fewer live keys work than are older than this one. */
export function isPaused({ rank }: { rank: number | null }, allowed?: number): boolean {
  return rank !== null && allowed !== undefined && rank > allowed;
}

export function keysPage(
  context: PageContext,
  { keys, shown, allowed }: KeysShown,
  notice?: Notice,
): Markup {
  return page(context, {
    title: 'API keys',
    notice,
    body: html`${shown && newKeySection(shown.key, shown.apiUrl)}
      <section>
        <h2>Your keys</h2>
        ${keyList(context, keys, allowed)}
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
    <pre data-copy="key"><code>${key}</code></pre>
    ${curlLine(apiUrl, key, domainName)}
  </section>`;
}

function keyList(context: PageContext, keys: ListedKey[], allowed?: number): Markup {
  if (keys.length === 0) return html`<p>No key yet.</p>`;
  return html`<ul class="rows">
    ${keys.map((key) => keyRow(context, key, allowed))}
  </ul>`;
}

function keyRow(context: PageContext, key: ListedKey, allowed?: number): Markup {
  const state = key.state === 'active' && isPaused(key, allowed) ? 'paused' : key.state;
  const ends = key.expires_at ? ` until ${key.expires_at.slice(0, 16).replace('T', ' ')} UTC` : '';
  return html`<li>
    <div>
      <strong>${key.name}</strong> <code>${key.masked}</code>
      <p class="quiet">
        <span>${state}${ends}</span>
        <span>last used: ${key.last_used_at?.slice(0, 10) ?? 'never'}</span>
      </p>
    </div>
    ${key.state === 'active' ? keyActions(context, key) : undefined}
  </li>`;
}

function keyActions(context: PageContext, { id, name }: ListedKey): Markup {
  const button = (word: string) =>
    html`<button class="plain small" aria-label="${word} ${name}">${word}</button>`;
  return html`<div class="actions">
    ${form(context, `/keys/${id}/rotate`, button('Rotate'))}
    ${form(context, `/keys/${id}/revoke`, button('Revoke'))}
  </div>`;
}

function creationFields(): Markup {
  // The same form sent twice makes one key.
  return html`${hidden('idempotency_key', randomUUID())}
    ${field({ name: 'name', label: 'Name', hint: 'What it is for, for example the program that uses it.' })}
    <div class="field">
      <label for="environment">Kind</label>
      <select id="environment" name="environment">
        <option value="live">Live: any name, costs credits</option>
        <option value="test">Test: names under .test, free</option>
      </select>
    </div>
    <button>Create the key</button>`;
}
