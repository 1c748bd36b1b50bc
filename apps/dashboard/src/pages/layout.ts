import { Markup, html, htmlDocument } from '#libs/public-http';
import { labelOf } from './field-labels.js';

export interface PageContext {
  csrfToken: string;
  isLoggedIn: boolean;
  /** Whether e-mails stay on this machine and `/mailbox` shows them. */
  hasMailbox: boolean;
  isDataSimulated?: boolean;
  /** The path of this page, without its query. */
  path?: string;
  /** Whether the account is deleted; the navigation then omits the pages of active accounts. */
  isDeleted?: boolean;
  /** Whether the visitor can log in with a password; undefined if unknown. */
  hasPassword?: boolean;
  /** The operator's reason, if the account is suspended. */
  suspendedBecause?: string;
}

/** A message above the page: an error, a result or a hint. */
export interface Notice {
  kind: 'fault' | 'done' | 'note';
  text: string;
  faults?: Readonly<Record<string, string>>;
}

export interface PageParts {
  title: string;
  body: Markup;
  notice?: Notice;
  scripts?: readonly string[];
}

const SIMULATED = html`<aside class="simulated" aria-label="Simulated data">
  Simulated data: this installation queries a registry simulator, not the internet. None of its
  answers are about real domains.
</aside>`;

/** Returns a complete document; without `context`, it has no navigation. */
export function page(context: PageContext | undefined, parts: PageParts): Markup {
  const { title, body, notice, scripts = [] } = parts;
  return htmlDocument({
    title,
    icon: '/assets/icon.svg',
    styles: ['/assets/dashboard.css'],
    scripts: ['/assets/dashboard.js', ...scripts],
    banner: context?.isDataSimulated ? SIMULATED : undefined,
    navigation: context && navigation(context),
    body: html`${context?.suspendedBecause && html`<p class="notice fault" role="alert">This account is suspended: ${context.suspendedBecause}</p>`}
    ${notice && noticeMarkup(notice)}${body}`,
  });
}

function noticeMarkup({ kind, text }: Notice): Markup {
  const role = kind === 'fault' ? 'alert' : 'status';
  return html`<p class="notice ${kind}" role="${role}">${text}</p>`;
}

const PAGES: readonly (readonly [path: string, text: string])[] = [
  ['/keys', 'Keys'],
  ['/usage', 'Usage'],
  ['/requests', 'Requests'],
  ['/search', 'Search'],
  ['/playground', 'Playground'],
  ['/jobs', 'Bulk jobs'],
  ['/monitors', 'Monitors'],
  ['/files', 'Files'],
  ['/webhooks', 'Webhooks'],
  ['/credits', 'Credits'],
  ['/plans', 'Plans'],
  ['/subscriptions', 'Subscriptions'],
  ['/invoices', 'Invoices'],
];

function navigation(context: PageContext): Markup {
  const { path = '', hasMailbox, isLoggedIn, isDeleted } = context;
  const link = ([href, text]: readonly [string, string]) => {
    const isHere = path === href || (href !== '/' && path.startsWith(`${href}/`));
    return html`<a href="${href}" ${isHere ? html`aria-current="page"` : undefined}>${text}</a>`;
  };
  const mailbox = hasMailbox ? link(['/mailbox', 'Mailbox']) : undefined;
  if (!isLoggedIn)
    return html`${link(['/prices', 'Prices'])}${link(['/sign-up', 'Sign up'])}${link(['/log-in', 'Log in'])}${mailbox}`;
  return html`<span class="own"
      >${isDeleted ? undefined : link(['/account', 'Account'])}${mailbox}
      ${form(context, '/log-out', html`<button class="link">Log out</button>`)}</span
    >
    <span class="pages"
      >${link(['/', 'Overview'])}${isDeleted ? undefined : PAGES.map(link)}</span
    >`;
}

/** Returns a form that posts to the dashboard, with the token that proves that it is the dashboard's own form. */
export function form(
  context: PageContext,
  action: string,
  fields: Markup,
  type?: 'multipart/form-data',
): Markup {
  const encoding = type ? html` enctype="${type}"` : '';
  const attributes = html`method="post" action="${action}"${encoding}`;
  return html`<form ${attributes}>
    <input type="hidden" name="csrf" value="${context.csrfToken}" />${fields}
  </form>`;
}

export interface Field {
  name: string;
  /** The label, if it differs from the field's usual label. */
  label?: string;
  type?: 'text' | 'email' | 'password' | 'number' | 'date';
  value?: string;
  autocomplete?: string;
  hint?: string;
  isOptional?: boolean;
  /** The rejection that the page shows. The fields that it names are marked. */
  notice?: Notice;
}

/**
 * Returns a labelled input, which is required unless it is optional. Its name is also its id, so a page may contain
 * each name once.
 */
export function field(given: Field): Markup {
  const { name, label = labelOf(name), type, value, autocomplete, hint, isOptional } = given;
  const fault = given.notice?.faults?.[name];
  const ids = [fault && `${name}-fault`, hint && `${name}-hint`].filter(Boolean).join(' ');
  const described = ids === '' ? undefined : html`aria-describedby="${ids}"`;
  return html`<div class="field">
    <label for="${name}">${label}</label>
    <input
      id="${name}"
      name="${name}"
      type="${type ?? 'text'}"
      value="${value ?? ''}"
      autocomplete="${autocomplete ?? 'off'}"
      ${described}
      ${fault && html`aria-invalid="true"`}
      ${isOptional ? undefined : html`required`}
    />
    ${fault && html`<small class="fault" id="${name}-fault">${fault}</small>`}
    ${hint && html`<small id="${name}-hint">${hint}</small>`}
  </div>`;
}

export function hidden(name: string, value: string): Markup {
  return html`<input type="hidden" name="${name}" value="${value}" />`;
}
