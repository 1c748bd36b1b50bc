import type { LinkKind } from '#libs/contracts';
import { html } from '#libs/public-http';
import { page } from '../pages/layout.js';
import type { PageVisit } from '../pages/page-visit.js';
import type { ProxiedAnswer } from '../service-calls/service-proxy.js';

interface Next {
  /** The text that tells people whose link no longer works what to do, whether or not they have used the link. */
  hint: string;
  links: readonly (readonly [href: string, text: string])[];
}

const NEXT: Readonly<Record<LinkKind, Next>> = {
  sign_up: {
    hint: 'If you have confirmed your address with it, the account is open: log in. If not, sign up again to get a new link.',
    links: [
      ['/log-in', 'Log in'],
      ['/sign-up', 'Sign up again for a new link'],
    ],
  },
  password_reset: {
    hint: 'If you have set a new password with it, log in. If not, request a new link. Only the newest link works, for 30 minutes.',
    links: [
      ['/password/forgot', 'Send a new link'],
      ['/log-in', 'Log in'],
    ],
  },
  address_change: {
    hint: 'If you have confirmed the address with it, log in with that address. If not, request a new link. Only the newest link works, for 24 hours.',
    links: [
      ['/account/email', 'Send a new link'],
      ['/log-in', 'Log in'],
    ],
  },
};

/** Whether the error means that an e-mailed link was used, has expired or is not genuine. */
export const isLinkOver = ({ refusal }: ProxiedAnswer) =>
  refusal?.code === 'link_invalid' ||
  (refusal?.errors ?? []).some(({ field }) => field === 'token');

/**
 * Whether a link still works. The check changes nothing, because mail scanners also open links (S31). @throws any other
 * rejection.
 */
export async function isLinkOpen(visit: PageVisit, kind: LinkKind, token: string) {
  const answer = await visit.account({
    method: 'POST',
    path: '/links/check',
    body: { kind, token },
  });
  if (isLinkOver(answer)) return false;
  if (answer.refusal) throw answer.refusal;
  return true;
}

/** Returns the page shown in place of a form whose link no longer works. */
export function showLinkOver(visit: PageVisit, kind: LinkKind): string {
  const { hint, links } = NEXT[kind];
  const text = 'This link was already used, has expired or is incomplete.';
  const document = page(visit.context, {
    title: 'This link no longer works',
    notice: { kind: 'fault', text },
    body: html`<p>${hint}</p>
      <p class="actions">
        ${links.map(([href, words], place) => html`<a class="button ${place === 0 ? '' : 'plain'}" href="${href}">${words}</a>`)}
      </p>`,
  });
  return visit.show(document, 410);
}
