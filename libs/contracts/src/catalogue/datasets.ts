/** The datasets from which files are made. A file of a daily dataset is requested by its day. */
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
