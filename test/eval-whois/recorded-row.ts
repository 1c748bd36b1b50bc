/** A recorded answer with its asserted values. Members without an assertion are absent. */
export interface RecordedRow {
  id: string;
  server: string | null;
  tld: string | null;
  text: string;
  expected: ExpectedRecord;
}

export type Status = 'registered' | 'not_registered' | 'restricted' | 'throttled' | 'parse_failed';

export interface ExpectedRecord {
  status?: Status;
  domain?: string;
  created?: string;
  updated?: string;
  expires?: string;
  nameServers?: string[];
  registrar?: Record<string, string | null>;
  contacts?: Record<string, Record<string, string | null>>;
  statusCodes?: string[];
}
