import type { Dataset } from './datasets.js';

/** The parts of Domainer plans: each gives access to the files of certain datasets. */
export const PLAN_DATASETS = ['names', 'whois', 'cleaned-whois', 'dns'] as const;
export type PlanDataset = (typeof PLAN_DATASETS)[number];

export const DATASET_NAMES: Readonly<Record<PlanDataset, string>> = {
  names: 'names',
  whois: 'WHOIS',
  'cleaned-whois': 'cleaned WHOIS',
  dns: 'DNS',
};

const OPENED: Readonly<Record<PlanDataset, readonly Dataset[]>> = {
  names: ['newly', 'dropped', 'names'],
  whois: ['newly_whois', 'updated_whois', 'whois'],
  'cleaned-whois': ['newly_whois_cleaned', 'updated_whois_cleaned', 'whois_cleaned'],
  dns: ['newly_dns', 'updated_dns', 'dns'],
};

/** Returns the part that a plan must include to give access to the files of a dataset. */
export function planDatasetOf(dataset: Dataset): PlanDataset {
  return PLAN_DATASETS.find((held) => OPENED[held].includes(dataset))!;
}
