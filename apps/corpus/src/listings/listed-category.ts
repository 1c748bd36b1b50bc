export const LISTED_CATEGORIES = [
  'phishing',
  'malware',
  'botnet',
  'spam',
  'scam',
  'other',
] as const;
export type ListedCategory = (typeof LISTED_CATEGORIES)[number];
