import { freePorts } from '#libs/platform';
import { SERVICES } from '../../services.js';
import type { ClusterOptions } from './cluster-options.js';

export interface ClusterPorts {
  postgres: number;
  kafka: number;
  valkey: number;
  simulators: number;
  smtp: number;
  /** The internal listener of each service except the gateways, by service name. */
  services: Record<string, number>;
  gateways: { api: number; internal: number }[];
  dashboard: number;
}

/** Chooses ports before anything listens, so that a process keeps its address across restarts. */
export async function choosePorts({
  gateways = 2,
  firstPorts,
  onePort,
}: Pick<ClusterOptions, 'gateways' | 'firstPorts' | 'onePort'>): Promise<ClusterPorts> {
  const [postgres, kafka, valkey, simulators, smtp, freeDashboard, ...free] = await freePorts(
    6 + SERVICES.length + 2 * gateways,
  );
  const services = Object.fromEntries(SERVICES.map(({ name }, place) => [name, free[place]]));
  const others = free.slice(SERVICES.length);
  const forGateway = (index: number) => {
    const [api, internal] = others.slice(2 * index);
    return { api: firstPorts?.api ? firstPorts.api + 10 * index : api, internal };
  };
  return {
    postgres,
    kafka,
    valkey,
    simulators,
    smtp,
    services,
    gateways: Array.from({ length: gateways }, (_, index) => ({
      ...forGateway(onePort ? 0 : index),
      internal: others[2 * index + 1],
    })),
    dashboard: firstPorts?.dashboard || freeDashboard,
  };
}
