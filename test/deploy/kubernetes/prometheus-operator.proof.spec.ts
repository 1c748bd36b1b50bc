import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { load } from 'js-yaml';
import { SERVICES } from '../../../apps/services.js';
import { CHART_VALUES } from '../chart-values.js';
import { Chart, RELEASE } from '../chart.js';
import { apiServerPrograms, chartTools, controllers } from '../tools/programs.js';
import { ApiServer } from './api-server.js';
import type { KubernetesObject } from './kubernetes-client.js';
import { ClusterOperators } from './operators.js';
import { PrometheusFiles } from './prometheus-files.js';
import { SimulatedCluster } from './simulated-cluster.js';

/** The first run builds the operator. */
jest.setTimeout(3_600_000);

const NAMESPACE = 'dds';
const FULL = `${RELEASE}-dds`;
const NAMES = SERVICES.filter(({ requires }) => !requires)
  .map(({ name }) => name)
  .toSorted();
const PROBE_PORT = 7101;
const WATCHED = [
  'monitoring={"serviceMonitor":true,"prometheusRule":true}',
  'networkPolicy.prometheus=[{"podSelector":{"matchLabels":{"app.kubernetes.io/name":"prometheus"}}}]',
];

interface LivePod extends KubernetesObject {
  metadata: { name: string; labels: Record<string, string> };
  status: { podIP: string };
}

describe('what watches an installation, as the Prometheus operator makes it of the chart', () => {
  let server: ApiServer;
  let files: PrometheusFiles;

  beforeAll(async () => {
    const chart = new Chart((await chartTools()).helm);
    server = await ApiServer.start(await apiServerPrograms());
    const operators = new ClusterOperators(server);
    await operators.define();
    await SimulatedCluster.start(server, await controllers());
    await server.createRestricted(NAMESPACE);
    await operators.startPrometheusOperator();
    const place = { kubeconfig: server.kubeconfig, namespace: NAMESPACE };
    await chart.install(place, CHART_VALUES.defaults as string[], ...WATCHED);
    files = await PrometheusFiles.of(server, NAMESPACE);
  });
  afterAll(() => server?.stop());

  it('promtool takes the rules, and every alert is among them', async () => {
    expect(await files.check()).toMatch(/SUCCESS: \d+ rules found/);
    const { groups } = load(readFileSync('deploy/prometheus/alerts.yml', 'utf8')) as {
      groups: { rules: { alert?: string }[] }[];
    };
    const written = groups.flatMap(({ rules }) => rules.flatMap(({ alert }) => alert ?? []));
    expect(written.length).toBeGreaterThan(20);
    expect(files.alerts.toSorted()).toEqual(written.toSorted());
  });

  it('its targets are the metrics of every pod of every service, and nothing else', async () => {
    const pods = await server.client.list<LivePod>(`/api/v1/namespaces/${NAMESPACE}/pods`);
    const addresses = pods
      .filter(({ metadata }) =>
        NAMES.some((name) => name === metadata.labels['app.kubernetes.io/component']),
      )
      .map(({ status }) => `${status.podIP}:${PROBE_PORT}`);
    const targets = await files.targets(`${NAMESPACE}/${FULL}`);
    expect(targets.map(({ address }) => address).toSorted()).toEqual(addresses.toSorted());
    expect([...new Set(targets.map(({ service }) => service))].toSorted()).toEqual(
      NAMES.map((name) => `${FULL}-${name}`),
    );
  });
});
