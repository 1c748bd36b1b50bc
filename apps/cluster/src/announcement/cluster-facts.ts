import type { SoloFacts } from '../../../solo/src/announcement/solo-facts.js';

/** The data of a running cluster in `cluster.json`, for newcomers, scripts and stories. */
export interface ClusterFacts extends Omit<SoloFacts, 'metrics_url'> {
  mailbox_url: string;
  /** The gateways' addresses, ordered by name. The `api_url` of the first is also a member of the file itself. */
  gateways: { api_url: string; internal_url: string }[];
  account_url: string;
  entitlement_url: string;
  lookup_url: string;
  /** The value of `KAFKA_BROKERS`. */
  brokers?: string;
  valkey_url?: string;
}
