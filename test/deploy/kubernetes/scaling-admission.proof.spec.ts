import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { waitFor } from '#test/environment';
import { CHART_VALUES } from '../chart-values.js';
import { Chart, type Resource } from '../chart.js';
import { apiServerPrograms, chartTools } from '../tools/programs.js';
import { ApiServer } from './api-server.js';
import type { KubernetesObject } from './kubernetes-client.js';
import { ClusterOperators } from './operators.js';

/** The first run builds the program. */
jest.setTimeout(3_600_000);

const NAMESPACE = 'dds';
const KINDS = ['Deployment', 'StatefulSet', 'TriggerAuthentication', 'ScaledObject'];

describe("the chart's scaling by lag, at KEDA's admission", () => {
  let server: ApiServer;
  let resources: KubernetesObject[];

  beforeAll(async () => {
    const chart = new Chart((await chartTools()).helm);
    const every = await chart.render(CHART_VALUES['all on'] as string[]);
    resources = every.filter(({ kind }) => KINDS.includes(kind)) as (Resource & KubernetesObject)[];
    server = await ApiServer.start(await apiServerPrograms());
    const operators = new ClusterOperators(server);
    await operators.define();
    await server.client.create('/api/v1/namespaces', { metadata: { name: NAMESPACE } });
    await operators.startKedaWebhooks();
  });
  afterAll(() => server?.stop());

  const scaled = () => resources.find(({ kind }) => kind === 'ScaledObject') as KubernetesObject;
  const refusalOf = (resource: KubernetesObject) =>
    server.client.applyDry(resource, NAMESPACE).then(
      () => '',
      (error: Error) => error.message,
    );

  it('takes each, beside what it scales and how it logs in', async () => {
    const found = new Set<string>();
    for (const kind of KINDS) {
      for (const resource of resources.filter((one) => one.kind === kind)) {
        const stored = await server.client.apply(resource, NAMESPACE);
        expect(stored.metadata.name).toBe(resource.metadata.name);
        found.add(kind);
      }
    }
    expect([...found].toSorted()).toEqual(KINDS.toSorted());
  });

  it('refuses a second one for the same pods, and the first one still not', async () => {
    const second = { ...scaled(), metadata: { name: 'second' } };
    await waitFor('KEDA to know the first', async () => (await refusalOf(second)) !== '');
    expect(await refusalOf(second)).toMatch(/already managed by the ScaledObject/);
    expect(await refusalOf(scaled())).toBe('');
  });
});
