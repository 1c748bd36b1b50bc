/** The datasets from which files are made. Daily ones are requested with a day. */
export const DATASETS = [
  'names',
  'newly',
  'dropped',
  'whois',
  'newly_whois',
  'updated_whois',
  'whois_cleaned',
  'newly_whois_cleaned',
  'updated_whois_cleaned',
  'dns',
  'newly_dns',
  'updated_dns',
] as const;
export type Dataset = (typeof DATASETS)[number];
