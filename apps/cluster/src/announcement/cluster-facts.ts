import type { SoloFacts } from '../../../solo/src/announcement/solo-facts.js';

/** The facts of a running cluster for newcomers, scripts and stories: `cluster.json`. */
export interface ClusterFacts extends Omit<SoloFacts, 'metrics_url'> {
  mailbox_url: string;
  /** The gateways' addresses, ordered by name; the facts themselves also contain those of the first gateway. */
  gateways: { api_url: string; internal_url: string }[];
  account_url: string;
  entitlement_url: string;
  lookup_url: string;
  /** Value of `KAFKA_BROKERS`. */
  brokers?: string;
  valkey_url?: string;
}
