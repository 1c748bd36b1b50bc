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
   * Settings that override the cluster's settings. A function gets the cluster's settings by process, so that it can
   * replace an address with that of a proxy.
   */
  environment?:
    | ClusterEnvironment
    | ((planned: ClusterEnvironment) => ClusterEnvironment | Promise<ClusterEnvironment>);
  /**
   * The broker; Kafka by default. False: no Kafka; events then reach only the gateways, through change feeds. An
   * object: Kafka with an additional listener behind a proxy, for services whose `KAFKA_BROKERS` names the proxy.
   */
  broker?: boolean | Pick<KafkaBrokerOptions, 'proxied'>;
  /** Whether there is a Valkey; true by default. If false, each gateway counts in its memory. */
  valkey?: boolean;
  /**
   * The payment processor: the simulated processor in this process, or the real processor of these settings. If
   * undefined, there is no billing.
   */
  payments?: 'simulated' | Settings;
  /** The demo account; `empty` by default. A `full` account is filled by `fillDemo`. */
  demoAccount?: DemoAccount;
  /** The file of a `FileClock`, which then provides the business time of every service. */
  clockFile?: string;
  /**
   * The ports of the dashboard and of the first gateway. The ports of the other gateways follow in steps of ten. The
   * default, 0, selects free ports.
   */
  firstPorts?: { api: number; dashboard: number };
  /** Whether all gateways listen on the public port of the first (Linux); by default, each has its own port. */
  onePort?: boolean;
  /** Whether data survives a crash of the machine; true by default. If false, PostgreSQL is faster. */
  durable?: boolean;
  progress?: (step: string) => void;
  /** Aborts a start: everything started before is stopped. */
  signal?: AbortSignal;
}
