import { JOB_FORMATS } from '#libs/contracts';
import { type Markup, html } from '#libs/public-http';
import { field } from '../pages/layout.js';
import { selectField } from '../pages/select-field.js';

/** The choices in the form of a job, as entered. */
export interface TypedOptions {
  kind?: string;
  format?: string;
  max_age?: string;
  types?: string;
}

const KINDS = [
  ['whois', 'WHOIS'],
  ['dns', 'DNS'],
] as const;
const FORMATS = [
  ['csv.gz', 'CSV'],
  ['json.gz', 'JSON, one object per line'],
] as const;
const AGES = [
  ['', 'From the sources, for every name'],
  ['3600', 'Also stored ones, up to an hour old'],
  ['86400', 'Also stored ones, up to a day old'],
] as const;

/** The labels of the fields that have no usual label. */
export const JOB_LABELS = {
  domainNames: 'Domain names',
  max_age: 'Answers',
  types: 'Record types',
} as const;

/** Returns the fields with the options of a job. */
export function optionFields({ kind, format, max_age, types }: TypedOptions): Markup {
  return html`${selectField('kind', { label: 'Data', options: KINDS, chosen: kind })}
  ${selectField('format', { label: 'File', options: FORMATS, chosen: format })}
  ${selectField('max_age', {
    label: JOB_LABELS.max_age,
    options: AGES,
    chosen: max_age,
    hint: 'Stored answers are faster, and cost the same.',
  })}
  ${field({
    name: 'types',
    label: JOB_LABELS.types,
    value: types,
    hint: 'For DNS, such as A, MX, TXT. Empty: all types. Stored answers are used only without CAA and SPF.',
    isOptional: true,
  })}`;
}

/** Returns the options as the API names them. */
export function optionsOf({ kind, format, max_age: age = '', types = '' }: TypedOptions): object {
  const chosen = JOB_FORMATS.find((one) => one === format);
  const listed = types.toUpperCase().split(/[\s,;]+/);
  const given = [...new Set(listed.filter((type) => type !== ''))];
  return {
    ...(chosen && { format: chosen }),
    ...(age !== '' && { max_age: Number(age) }),
    ...(kind === 'dns' && given.length > 0 && { types: given }),
  };
}
