import type { Settings } from '#libs/services';
import type { DemoAccount } from '../../solo/src/solo.config.js';
import type { KafkaBrokerOptions } from '#test/environment';

/** Settings by process (`gateway-2`), or for all processes of an app (`gateway`). */
export type ClusterEnvironment = Record<string, Settings>;

export interface ClusterOptions {
  /** The folder of data, logs and secrets. If an earlier cluster used the folder, its data is used again. */
  folder: string;
  /** The number of gateways; 2 by default. */
  gateways?: number;
  /**
   * Overrides the cluster's settings. A function gets these settings by process, so that it can replace an address
   * with that of a proxy.
   */
  environment?:
    | ClusterEnvironment
    | ((planned: ClusterEnvironment) => ClusterEnvironment | Promise<ClusterEnvironment>);
  /**
   * False: no Kafka; facts then reach only the gateways, through change feeds. An object: Kafka with an additional
   * listener behind a proxy, for services whose `KAFKA_BROKERS` names the proxy.
   */
  broker?: boolean | Pick<KafkaBrokerOptions, 'proxied'>;
  /** False: each gateway counts in its memory. */
  valkey?: boolean;
  /**
   * The payment processor: the simulated one in this process, or the real one of these settings. Without it, there is
   * no billing.
   */
  payments?: 'simulated' | Settings;
  /** The demo account; `empty` by default. `full` only prepares it; `fillDemo` adds purchases and usage. */
  demoAccount?: DemoAccount;
  /** The file of a `FileClock`, which then provides the business time of every service. */
  clockFile?: string;
  /**
   * The ports of the dashboard and of the first gateway. The other gateways follow in steps of ten. The default, 0,
   * takes free ports.
   */
  firstPorts?: { api: number; dashboard: number };
  /** Whether all gateways listen on the public port of the first (Linux), instead of their own ports. */
  onePort?: boolean;
  /** False: PostgreSQL is faster, but loses its data in a crash of the machine. */
  durable?: boolean;
  /** Receives a short description of each step. */
  progress?: (step: string) => void;
  /** Aborts a start: everything started so far is stopped. */
  signal?: AbortSignal;
}
