import {
  CHECK_MINUTES,
  KEYWORD_PLACES,
  type KeywordPlace,
  type MonitorKind,
  creditsADay,
} from '#libs/contracts';
import { counted, newId } from '#libs/platform';
import { type Markup, html } from '#libs/public-http';
import { type PageContext, field, form, hidden } from '../pages/layout.js';
import { selectField } from '../pages/select-field.js';
import type { MonitorForm } from './monitors.dto.js';

const PLACES: Readonly<Record<KeywordPlace, string>> = {
  contains: 'anywhere in the label',
  prefix: 'at the start of the label',
  suffix: 'at the end of the label',
  exact: 'as the whole label',
};
const SELECTORS = [
  ['company', 'Company'],
  ['email', 'E-mail'],
  ['owner', 'Name'],
] as const;

export const MONITOR_LABELS: Readonly<Record<string, string>> = {
  interval_minutes: 'The interval',
  owner: 'The value',
  email: 'The value',
  company: 'The value',
  include: 'Required words',
  exclude: 'Words to exclude',
  own_domains: 'Your own domains',
  tlds: 'Suffixes',
};

/** The intervals to choose from, in minutes; the first is the included one. */
const INTERVALS = [CHECK_MINUTES, 180, 60, 30, 15, 10];

const LIST_HINT = 'optional; separated by commas';

/** Returns the form for a new monitor. @param typed the input of a rejected form, to be corrected; empty at first. */
export function monitorForm(context: PageContext, kind: MonitorKind, typed: MonitorForm): Markup {
  const fields = { domain: domainFields, brand: brandFields, registrant: registrantFields }[kind];
  return form(
    context,
    `/monitors/new/${kind}`,
    html`${hidden('idempotency_key', newId())} ${fields(typed)}
      ${field({ name: 'name', value: typed.name, hint: 'optional', isOptional: true })}
      ${mailBox(typed.csrf === undefined || typed.mail !== undefined)}
      <button>Create the monitor</button>`,
  );
}

export const mailBox = (isTicked: boolean) =>
  html`<p>
    <label
      ><input type="checkbox" name="mail" ${isTicked ? html`checked` : undefined} /> Send events by
      e-mail, at most one e-mail an hour</label
    >
  </p>`;

export const intervalField = (chosen: string | undefined) =>
  selectField('interval_minutes', {
    label: 'DNS checks',
    options: INTERVALS.map((minutes) => [`${minutes}`, intervalWords(minutes)] as const),
    chosen: chosen ?? `${CHECK_MINUTES}`,
    hint: 'Only answered checks cost a credit. Without credits, the DNS is checked every 6 hours.',
  });

export function intervalWords(minutes: number): string {
  const every = minutes % 60 === 0 ? `${minutes / 60} hours` : `${minutes} minutes`;
  const words = minutes === 60 ? 'every hour' : `every ${every}`;
  const credits = creditsADay(minutes);
  return credits === 0
    ? `${words}, included`
    : `${words}, for at most ${counted(credits, 'credit')} a day`;
}

export const intervalOf = (text: string | undefined) =>
  text === undefined || text === '' ? {} : { interval_minutes: Number(text) };

/** Returns the body of the equivalent API call. */
export function requestOf(kind: MonitorKind, given: MonitorForm): object {
  const { name, mail, domainName, keyword, match, selector = '', value = '' } = given;
  const lists = { own_domains: listOf(given.own_domains), tlds: listOf(given.tlds) };
  const common = { kind, mail: mail !== undefined, ...(name && { name }) };
  if (kind === 'domain') return { ...common, domainName, ...intervalOf(given.interval_minutes) };
  if (kind === 'registrant') {
    const isKnown = SELECTORS.some(([known]) => known === selector);
    const subject = isKnown ? { [selector]: value } : {};
    return { ...common, ...subject, exact: given.exact !== undefined, ...lists };
  }
  return {
    ...common,
    keyword,
    match,
    with_typos: given.with_typos !== undefined,
    include: listOf(given.include),
    exclude: listOf(given.exclude),
    ...lists,
  };
}

const listOf = (text = '') => [...new Set(text.split(/[\s,]+/).filter((word) => word !== ''))];

const domainFields = ({ domainName, interval_minutes }: MonitorForm) =>
  html`${field({ name: 'domainName', value: domainName })} ${intervalField(interval_minutes)}`;

function brandFields(typed: MonitorForm): Markup {
  const { keyword, match, include, exclude, with_typos, csrf } = typed;
  const places = KEYWORD_PLACES.map((place) => [place, PLACES[place]] as const);
  const isTyped = csrf === undefined || with_typos !== undefined;
  return html`${field({ name: 'keyword', value: keyword, hint: 'compared with each new name' })}
    ${selectField('match', { label: 'Position', options: places, chosen: match })}
    <p>
      <label
        ><input type="checkbox" name="with_typos" ${isTyped ? html`checked` : undefined} /> Also
        match look-alikes and typing errors</label
      >
    </p>
    ${list('include', include)} ${list('exclude', exclude)} ${lists(typed)}`;
}

function registrantFields(typed: MonitorForm): Markup {
  const { selector, value, exact } = typed;
  return html`${selectField('selector', { label: 'Field of a contact', options: SELECTORS, chosen: selector })}
    ${field({ name: 'value', label: 'The value', value, hint: 'compared with published values only' })}
    <p>
      <label
        ><input type="checkbox" name="exact" ${exact === undefined ? undefined : html`checked`} />
        Match the whole value only</label
      >
    </p>
    ${lists(typed)}`;
}

const lists = ({ own_domains, tlds }: MonitorForm) =>
  html`${list('own_domains', own_domains)} ${list('tlds', tlds)}`;

const list = (name: string, value: string | undefined) =>
  field({ name, label: MONITOR_LABELS[name], value, hint: LIST_HINT, isOptional: true });
