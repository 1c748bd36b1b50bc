import type { Dataset } from '#libs/contracts';

export interface DatasetForm {
  subject: 'name' | 'whois' | 'dns';
  /** The daily changes that a dataset contains; undefined for a dataset of all names. */
  change?: { kind: 'new' | 'changed' | 'dropped'; subject: 'name' | 'whois' | 'dns' };
  isCleaned: boolean;
}

const NEW = { kind: 'new', subject: 'name' } as const;
const whois = (isCleaned: boolean, change?: DatasetForm['change']): DatasetForm => ({
  subject: 'whois',
  isCleaned,
  change,
});
const plain = (subject: 'name' | 'dns', change?: DatasetForm['change']): DatasetForm => ({
  subject,
  isCleaned: false,
  change,
});

export const DATASET_FORMS: Readonly<Record<Dataset, DatasetForm>> = {
  names: plain('name'),
  newly: plain('name', NEW),
  dropped: plain('name', { kind: 'dropped', subject: 'name' }),
  whois: whois(false),
  newly_whois: whois(false, NEW),
  updated_whois: whois(false, { kind: 'changed', subject: 'whois' }),
  whois_cleaned: whois(true),
  newly_whois_cleaned: whois(true, NEW),
  updated_whois_cleaned: whois(true, { kind: 'changed', subject: 'whois' }),
  dns: plain('dns'),
  newly_dns: plain('dns', NEW),
  updated_dns: plain('dns', { kind: 'changed', subject: 'dns' }),
};
