import type { Settings } from '#libs/services';
import type { DemoAccount } from '../../solo/src/solo.config.js';
import type { KafkaBrokerOptions } from '#test/environment';

/** Settings by the name of a process (`gateway-2`) or of all processes of an app (`gateway`). */
export type ClusterEnvironment = Record<string, Settings>;

export interface ClusterOptions {
  /** Holds data, logs and secrets; those of an earlier cluster are taken up again. */
  folder: string;
  /** 2 unless given. */
  gateways?: number;
  /**
   * Overrides the cluster's settings. A function gets those settings, by process, so that an address can be replaced by
   * that of a proxy in front of it.
   */
  environment?:
    | ClusterEnvironment
    | ((planned: ClusterEnvironment) => ClusterEnvironment | Promise<ClusterEnvironment>);
  /**
   * False: no Kafka. Facts reach gateways by change feeds alone, nobody else. An object: Kafka with a further
   * listener for a proxy, by which a service goes whose `KAFKA_BROKERS` is that proxy.
   */
  broker?: boolean | Pick<KafkaBrokerOptions, 'proxied'>;
  /** False: counters in the memory of each gateway. */
  valkey?: boolean;
  /**
   * The payment processor: the simulated one of this process or the real one of these settings. Without it there is
   * no billing.
   */
  payments?: 'simulated' | Settings;
  /** `empty` unless given. `full` only prepares it: `fillDemo` gives it purchases and usage. */
  demoAccount?: DemoAccount;
  /** File of a `FileClock`, which then is the business time of every service. */
  clockFile?: string;
  /** Wanted ports of the first gateway, the others follow in steps of ten, and of the dashboard. Free ones for 0, and unless given. */
  firstPorts?: { api: number; dashboard: number };
  /** All gateways listen on the public port of the first (Linux), instead of their own ports. */
  onePort?: boolean;
  /** False: PostgreSQL forgets everything with the machine, and is faster. */
  durable?: boolean;
  /** Receives a short description of each step. */
  progress?: (step: string) => void;
  /** Aborts a start: everything started so far is stopped. */
  signal?: AbortSignal;
}
