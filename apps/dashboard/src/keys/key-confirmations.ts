import { randomUUID } from 'node:crypto';
import type { KeyAnswer, Overlap } from '#libs/contracts';
import { type Markup, html } from '#libs/public-http';
import { minute } from '../amounts.js';
import { type PageContext, hidden } from '../pages/layout.js';
import { confirmationPage } from '../pages/confirmation-page.js';
import { selectField } from '../pages/select-field.js';
import { expiryFields } from './key-expiry.js';

const BACK = { href: '/keys', text: 'Keep it as it is' };

const OVERLAP_WORDS: Readonly<Record<Overlap, string>> = {
  now: 'No time: it stops at once',
  '1h': '1 hour',
  '24h': '24 hours',
  '7d': '7 days',
};
export const OVERLAP: Overlap = '24h';

export function rotatePage(context: PageContext, key: KeyAnswer): Markup {
  return confirmationPage(context, {
    title: 'Rotate this key?',
    body: html`${nameOf(key)}
      <p>
        You get a new key with the same settings, shown once. The old key keeps working for the time
        you choose here, and then stops for good.
      </p>
      ${selectField('overlap', {
        label: 'The old key still works for',
        options: Object.entries(OVERLAP_WORDS),
        chosen: OVERLAP,
      })}
      ${hidden('idempotency_key', randomUUID())}`,
    action: `/keys/${key.id}/rotate`,
    button: 'Rotate the key',
    back: BACK,
  });
}

export function revokePage(context: PageContext, key: KeyAnswer): Markup {
  return confirmationPage(context, {
    title: 'Revoke this key?',
    body: html`${nameOf(key)}
      <p>
        It stops within seconds and never works again: programs that still use it are refused.
        ${key.state === 'active' ? html`To replace it without a break, <a href="/keys/${key.id}/rotate">rotate it</a> instead.` : undefined}
      </p>`,
    action: `/keys/${key.id}/revoke`,
    button: 'Revoke the key',
    isDanger: true,
    back: BACK,
  });
}

export function reissuePage(context: PageContext, key: KeyAnswer): Markup {
  return confirmationPage(context, {
    title: 'Reissue this key?',
    body: html`${nameOf(key)}
      <p>
        You get a new key with the same name, scopes and limits, shown once. The old key stays
        ended.
      </p>
      ${expiryFields()} ${hidden('idempotency_key', randomUUID())}`,
    action: `/keys/${key.id}/reissue`,
    button: 'Reissue the key',
    back: { ...BACK, text: 'Leave it ended' },
  });
}

function nameOf({ name, masked, last_used_at: used }: KeyAnswer): Markup {
  return html`<p><strong>${name}</strong> <code>${masked}</code></p>
    <p class="quiet">
      ${used ? html`Last used ${minute(used)}.` : 'No use recorded. A use appears within two minutes.'}
    </p>`;
}
