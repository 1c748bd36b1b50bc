import { domainToUnicode } from 'node:url';
import type {
  CreateMonitorRequest,
  MonitorKind,
  MonitorRule,
  UpdateMonitorRequest,
} from '#libs/contracts';
import { looseSkeletonOf, parseDomainName, toALabels } from '#libs/domain-names';
import { type FieldError, InvalidRequest } from '#libs/platform';

/** Minimum length of a watched text; shorter texts occur in too many names. */
const TEXT_LENGTH_MIN = 3;
const REGISTRANT_VALUES = ['owner', 'email', 'company'] as const;

const CHOICES = {
  domain: ['interval_minutes'],
  brand: ['match', 'with_typos', 'include', 'exclude', 'own_domains', 'tlds'],
  registrant: ['exact', 'own_domains', 'tlds'],
} as const;
const SUBJECTS = {
  domain: ['domainName'],
  brand: ['keyword'],
  registrant: REGISTRANT_VALUES,
} as const;
const ALL_CHOICES = [...CHOICES.domain, ...CHOICES.brand, 'exact'] as const;
const ALL_SUBJECTS = ['domainName', 'keyword', ...REGISTRANT_VALUES] as const;

/** Returns the rule of a new monitor. @throws InvalidRequest. */
export function newRule(request: CreateMonitorRequest): MonitorRule {
  const { kind } = request;
  const subjects: readonly string[] = SUBJECTS[kind];
  const given = ALL_SUBJECTS.filter((field) => request[field] !== undefined);
  const faults = given
    .filter((field) => !subjects.includes(field))
    .map((field) => fault(field, `a ${kind} monitor has no such field`));
  const own = given.filter((field) => subjects.includes(field));
  if (own.length !== 1) {
    const words = subjects.join(', ');
    faults.push(fault(own[1] ?? subjects[0], `give exactly one of: ${words}`));
  }
  if (faults.length > 0) throw new InvalidRequest(faults);
  const subject = subjectOf(own[0], request[own[0]]!);
  return { ...subject, ...DEFAULTS[kind], ...choicesOf(kind, request) };
}

/** Returns a rule with changed settings. @throws InvalidRequest. */
export function changedRule(
  kind: MonitorKind,
  rule: MonitorRule,
  request: UpdateMonitorRequest,
): MonitorRule {
  return { ...rule, ...choicesOf(kind, request) };
}

const DEFAULTS: Readonly<Record<MonitorKind, MonitorRule>> = {
  domain: {},
  brand: {
    match: 'contains',
    with_typos: true,
    include: [],
    exclude: [],
    own_domains: [],
    tlds: [],
  },
  registrant: { exact: false, own_domains: [], tlds: [] },
};

function subjectOf(field: (typeof ALL_SUBJECTS)[number], text: string): MonitorRule {
  if (field === 'domainName') return { domain_name: registrableName(field, text) };
  if (field === 'keyword') return { keyword: word(field, text, TEXT_LENGTH_MIN) };
  // The joiners of Persian and Indic words are not compared.
  const compared = plain(text.replace(/\p{Cf}/gu, ''));
  if ([...compared].length < TEXT_LENGTH_MIN) {
    throw refused(field, `must have at least ${TEXT_LENGTH_MIN} characters`);
  }
  return { [field]: plain(text) };
}

function choicesOf(kind: MonitorKind, request: UpdateMonitorRequest): MonitorRule {
  const known: readonly string[] = CHOICES[kind];
  const faults = ALL_CHOICES.filter(
    (field) => request[field] !== undefined && !known.includes(field),
  ).map((field) => fault(field, `a ${kind} monitor has no such field`));
  if (faults.length > 0) throw new InvalidRequest(faults);
  const { interval_minutes, match, with_typos, exact, include, exclude, own_domains, tlds } =
    request;
  return {
    ...(interval_minutes !== undefined && { interval_minutes }),
    ...(match !== undefined && { match }),
    ...(with_typos !== undefined && { with_typos }),
    ...(exact !== undefined && { exact }),
    ...(include && { include: include.map((text) => word('include', text, 1)) }),
    ...(exclude && { exclude: exclude.map((text) => word('exclude', text, 1)) }),
    ...(own_domains && {
      own_domains: own_domains.map((text) => registrableName('own_domains', text)),
    }),
    ...(tlds && { tlds: tlds.map(suffixOf) }),
  };
}

function registrableName(field: string, text: string): string {
  const parsed = parseDomainName(text);
  if (!parsed.ok) throw refused(field, parsed.message);
  if (parsed.domain.tld === 'test') throw refused(field, 'names under .test are only examples');
  return parsed.domain.name;
}

/** Returns a text or an A-label in the form that is compared with labels: in its own script. @throws InvalidRequest. */
function word(field: string, text: string, lengthMin: number): string {
  const given = text.normalize('NFKC').trim().toLowerCase();
  const read = /^xn--[a-z0-9-]+$/.test(given) ? domainToUnicode(given) || given : given;
  // The joiners belong to Persian and Indic words. After a Latin letter, no label can have one.
  if (!/^(?:[\p{L}\p{M}\p{N}-]|(?<=[^ -~])\p{Join_Control})+$/u.test(read)) {
    throw refused(
      field,
      'may contain only letters, digits and hyphens, because it is compared with labels',
    );
  }
  // Marks alone cannot be compared, and a single letter with marks occurs in nearly every name.
  const looks = [...looseSkeletonOf(read)].length;
  if (Math.min(looks, [...read].length) < lengthMin) {
    const least = lengthMin === 1 ? 'a letter or digit' : `at least ${lengthMin} letters or digits`;
    throw refused(field, `must contain ${least}`);
  }
  return read;
}

function suffixOf(text: string): string {
  const ascii = toALabels(text.trim().replace(/^\./, '').toLowerCase());
  if (!/^[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(ascii)) throw refused('tlds', 'is not a suffix');
  return ascii;
}

const plain = (text: string) => text.trim().replace(/\s+/g, ' ');
const fault = (field: string, message: string): FieldError => ({ field, message });
const refused = (field: string, message: string) => new InvalidRequest([fault(field, message)]);
