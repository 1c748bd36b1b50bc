import type { KeyAnswer } from '#libs/contracts';
import { counted } from '#libs/platform';
import { type Markup, html } from '#libs/public-http';
import { minute, minuteText } from '../amounts.js';
import { curlLine } from '../calls/curl-line.js';
import { type Notice, type PageContext, field, form, page } from '../pages/layout.js';
import { requestsPath } from '../requests/requests-page.js';
import { expiryFields } from './key-expiry.js';
import {
  NEW_KEY,
  type NewKeySettings,
  addressWords,
  limitFields,
  nameField,
  scopeWords,
} from './key-fields.js';

/** A new key. It is shown only once, even if the form is sent again. */
export interface KeyShown {
  key: string;
  rank: number | null;
  apiUrl: string;
}

/** The usage of an account's keys in the last 30 days. */
export interface KeyUse {
  from: string;
  to: string;
  /** By key id. */
  sums: ReadonlyMap<string, { requests: number; credits: number }>;
}

export interface KeyFilter {
  /** A part of a key's name or of its visible characters. */
  search: string;
  /** Whether revoked and expired keys are hidden. Paused keys are shown. */
  isLiveOnly: boolean;
}

const NO_FILTER: KeyFilter = { search: '', isLiveOnly: false };

export interface KeysShown {
  /** The keys; undefined if account refuses to list them. */
  keys?: KeyAnswer[];
  filter?: KeyFilter;
  /** The usage of the keys; undefined if the gateway is unavailable. */
  use?: KeyUse;
  shown?: KeyShown;
  entered?: NewKeySettings;
  nextCursor?: string;
  /** The number of live keys that the plan allows; undefined if entitlement is unavailable. */
  allowed?: number;
}

/** Whether the plan's number of live keys is already used up by older keys; false while that number is unknown. */
export function isPaused({ rank }: { rank: number | null }, allowed?: number): boolean {
  return rank !== null && allowed !== undefined && rank > allowed;
}

export function keysPage(
  context: PageContext,
  { keys, shown, entered, nextCursor, allowed, filter, use }: KeysShown,
  notice?: Notice,
): Markup {
  return page(context, {
    title: 'API keys',
    notice,
    body: html`${shown && newKeySection(shown.key, shown.apiUrl)}
      <section>
        <h2>Your keys</h2>
        ${filterForm(filter)} ${keys && keyList(keys, allowed, use)}
        ${nextCursor && html`<p><a href="${olderPath(nextCursor, filter)}">Older keys</a></p>`}
      </section>
      <section>
        <h2>Create a key</h2>
        ${allowed === undefined ? undefined : surplusNote(allowed)}
        ${form(context, '/keys', creationFields(entered))}
      </section>`,
  });
}

/** Returns the page that is shown after a sign-up. It displays the first keys, which are shown only this once. */
export function firstKeysPage(context: PageContext, keys: string[], apiUrl: string): Markup {
  return page(context, {
    title: 'Welcome',
    notice: { kind: 'done', text: 'Your address is confirmed and the account is open.' },
    body: html`${keys.map((key) => newKeySection(key, apiUrl))}
      <p class="actions"><a class="button" href="/">Go to the overview</a></p>`,
  });
}

function newKeySection(key: string, apiUrl: string): Markup {
  const domainName = key.startsWith('dds_test_') ? 'registered.test' : 'example.com';
  return html`<section>
    <h2>Your ${key.startsWith('dds_test_') ? 'test' : 'live'} key</h2>
    <p>Copy it now. It is shown only once.</p>
    <pre data-copy="key"><code>${key}</code></pre>
    ${curlLine(apiUrl, key, domainName)}
  </section>`;
}

/** Returns the note about keys beyond the plan's number. The service accepts such a key, but pauses it. */
const surplusNote = (allowed: number) =>
  html`<p class="quiet">
    Your plan allows ${counted(allowed, 'live key')}. Further live keys are paused until you revoke
    an older one, or buy a larger <a href="/credits">package</a> or <a href="/plans">plan</a>. Test
    keys do not count.
  </p>`;

function olderPath(cursor: string, { search, isLiveOnly }: KeyFilter = NO_FILTER): string {
  const filter = { ...(search && { search }), ...(isLiveOnly && { live: 'yes' }) };
  return `/keys?${new URLSearchParams({ ...filter, cursor })}`;
}

function filterForm({ search, isLiveOnly }: KeyFilter = NO_FILTER): Markup {
  return html`<form method="get" action="/keys" class="filters inline">
    ${field({ name: 'search', label: 'Name or last characters', value: search, isOptional: true })}
    <label
      ><input type="checkbox" name="live" value="yes" ${isLiveOnly ? html`checked` : undefined} />
      Hide revoked and expired keys</label
    >
    <button class="plain">Show</button>
  </form>`;
}

function keyList(keys: KeyAnswer[], allowed?: number, use?: KeyUse): Markup {
  if (keys.length === 0) return html`<p>No key found.</p>`;
  return html`<ul class="rows">
    ${keys.map((key) => keyRow(key, allowed, use))}
  </ul>`;
}

function useOf({ id }: KeyAnswer, { from, to, sums }: KeyUse): Markup {
  const { requests, credits } = sums.get(id) ?? { requests: 0, credits: 0 };
  const words = `${counted(requests, 'request')} and ${counted(credits, 'credit')} in 30 days`;
  return html`<span><a href="${requestsPath({ day: to, from, key_id: id })}">${words}</a></span>`;
}

function keyRow(key: KeyAnswer, allowed?: number, use?: KeyUse): Markup {
  const state = key.state === 'active' && isPaused(key, allowed) ? 'paused' : key.state;
  return html`<li>
    <div>
      <strong>${key.name}</strong> <code>${key.masked}</code>
      <p class="quiet">
        <span>${state}${endOf(key)}</span>
        ${wasUsed(key, use) ? undefined : html`<span>${usedWords(key)}</span>`}
        ${use && useOf(key, use)}
      </p>
      <p class="quiet">
        <span>${scopeWords(key.scopes)}</span>
        ${key.daily_credit_cap === null ? undefined : html`<span>at most ${counted(key.daily_credit_cap, 'credit')} a day</span>`}
        ${addressWords(key) === '' ? undefined : html`<span>${addressWords(key)}</span>`}
      </p>
    </div>
    ${canRevoke(key) || canReissue(key) ? keyActions(key) : undefined}
  </li>`;
}

/** Whether a key has been used although no last use is recorded; requests within the last 30 days prove that. */
const wasUsed = ({ id, last_used_at: used }: KeyAnswer, use?: KeyUse) =>
  used === null && (use?.sums.get(id)?.requests ?? 0) > 0;

/**
 * Returns when a key was last used, in words. A gateway reports a use within a minute, and account records the report
 * within another.
 */
const usedWords = (key: KeyAnswer) =>
  key.last_used_at === null
    ? html`never used${canRevoke(key) ? ' (a use appears within two minutes)' : ''}`
    : html`last used ${minute(key.last_used_at)}`;

function endOf(key: KeyAnswer): Markup {
  if (!key.expires_at || !canRevoke(key)) return html``;
  return html`${key.state === 'replaced' ? '; works' : ''} until ${minute(key.expires_at)}`;
}

/** Whether a key is neither revoked nor expired. A replaced key expires when its overlap ends. */
export const canRevoke = ({ state }: KeyAnswer) => state === 'active' || state === 'replaced';

/** Whether an ended key may get a successor with the same settings, for example after the account has been restored. */
export const canReissue = ({ state, replaced_by: successor }: KeyAnswer) =>
  (state === 'revoked' || state === 'expired') && successor === null;

function keyActions(key: KeyAnswer): Markup {
  const { id, name, state } = key;
  const link = (path: string, word: string) =>
    html`<a class="button plain small" href="/keys/${id}${path}" aria-label="${word} ${name}"
      >${word}</a
    >`;
  return html`<div class="actions">
    ${state === 'active' ? html`${link('', 'Edit')}${link('/rotate', 'Rotate')}` : undefined}
    ${canRevoke(key) ? link('/revoke', 'Revoke') : link('/reissue', 'Reissue')}
  </div>`;
}

function creationFields(entered?: NewKeySettings): Markup {
  const settings = entered ?? NEW_KEY;
  const isTest = settings.environment === 'test';
  return html`${nameField(settings)}
    <div class="field">
      <label for="environment">Kind</label>
      <select id="environment" name="environment">
        <option value="live">Live: any name, costs credits</option>
        <option value="test" ${isTest ? html`selected` : undefined}>
          Test: sample names such as registered.test, free
        </option>
      </select>
    </div>
    <details ${entered ? html`open` : undefined}>
      <summary>Expiry, scopes, daily limit and addresses</summary>
      ${expiryFields(settings.expiry)}${limitFields(settings)}
    </details>
    <button>Create the key</button>`;
}

export function keyPage(
  context: PageContext,
  key: KeyAnswer,
  { entered = key, notice }: { entered?: NewKeySettings; notice?: Notice } = {},
): Markup {
  const asItIs = key.expires_at ? `As it is: ${minuteText(key.expires_at)}` : 'As it is: never';
  const fields = html`${nameField(entered)}${expiryFields(entered.expiry, asItIs)}${limitFields(entered)}
    <p class="actions">
      <button>Save</button><a class="button plain" href="/keys">Back to the keys</a>
    </p>`;
  return page(context, {
    title: key.name,
    notice,
    body: html`<section>
      <p><code>${key.masked}</code></p>
      ${form(context, `/keys/${key.id}`, fields)}
    </section>`,
  });
}
