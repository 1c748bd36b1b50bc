import { domainToUnicode } from 'node:url';
import {
  MONITOR_CHANGE_TEXTS,
  type HitState,
  type MonitorChange,
  type MonitorEvent,
  type MonitorEventType,
  type MonitorKind,
  type MonitorMatch,
  daysLeftText,
} from '#libs/contracts';

export interface NewsDetails {
  changes?: MonitorChange[];
  expiry_date?: string;
  days_left?: number;
  match?: MonitorMatch;
}

/** The part of a monitor that its events need. */
export interface NewsReader {
  monitorId: string;
  accountId: string;
  kind: MonitorKind;
  name: string;
  sendsMail: boolean;
}

export interface News {
  type: MonitorEventType;
  domainName: string;
  /** Identifies the event. An event that is reported twice to a monitor is stored once. */
  fact: string;
  details: NewsDetails;
}

export interface Found {
  reader: NewsReader;
  news: News;
}

export const FINDS_A_DAY_MAX = 1_000;

export interface StoredNews extends Omit<News, 'fact'> {
  id: string;
  monitorId: string;
  state: HitState | null;
  at: Date;
}

/** Whether the event reports a found name, which the monitor's owner can rate. */
export const isHit = (type: MonitorEventType) => type.endsWith('.match');

export function eventAnswer(news: StoredNews): MonitorEvent {
  const { id, monitorId, type, domainName, details, state, at } = news;
  return {
    id,
    monitor_id: monitorId,
    type,
    at: at.toISOString(),
    domain_name: domainName,
    domain_unicode: domainToUnicode(domainName),
    ...details,
    ...(state !== null && { state }),
  };
}

const WORDS: Readonly<Record<Exclude<MonitorEventType, 'monitor.test'>, string>> = {
  'domain.changed': 'changed',
  'domain.expiring': 'expires soon',
  'brand.match': 'was seen for the first time and contains your keyword or looks like it',
  'registrant.match': 'publishes a value that you watch',
  'monitor.limit': `and more names exceed the limit of ${FINDS_A_DAY_MAX} a day; narrow the search`,
};

/** Returns the line for an e-mail, without published values, because other people may read the e-mail. */
export function lineOf({ type, domainName, details }: Omit<News, 'fact'>): string {
  if (type === 'monitor.test') return `a test of this monitor (${domainName}); nothing has changed`;
  if (type === 'domain.expiring') {
    const { expiry_date, days_left } = details;
    return `${domainName} expires on ${expiry_date}, ${daysLeftText(days_left!)}`;
  }
  const what = (details.changes ?? []).map(({ type: changed }) => MONITOR_CHANGE_TEXTS[changed]);
  const more = what.length > 0 ? `: ${[...new Set(what)].join(', ')}` : '';
  return `${domainName} ${WORDS[type]}${more}`;
}
