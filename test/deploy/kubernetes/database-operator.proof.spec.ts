import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { waitFor } from '#test/environment';
import { CHART_VALUES } from '../chart-values.js';
import { Chart, RELEASE } from '../chart.js';
import { apiServerPrograms, chartTools } from '../tools/programs.js';
import { ApiServer } from './api-server.js';
import type { KubernetesObject } from './kubernetes-client.js';
import { ClusterOperators } from './operators.js';

/** The first run builds the operator. */
jest.setTimeout(3_600_000);

const NAMESPACE = 'dds';
const CLUSTER = `${RELEASE}-dds-postgres`;
const MADE_LIMIT_MS = 120_000;

interface Cluster extends KubernetesObject {
  spec: { instances: number; storage: { size: string }; [field: string]: unknown };
}

/** Nothing here runs pods: the operator would ask their addresses. */
describe('the PostgreSQL that the chart brings along, at CloudNativePG', () => {
  let server: ApiServer;
  let cluster: Cluster;

  beforeAll(async () => {
    const chart = new Chart((await chartTools()).helm);
    const resources = await chart.render(CHART_VALUES['brought along'] as string[]);
    cluster = resources.find(({ kind }) => kind === 'Cluster') as unknown as Cluster;
    server = await ApiServer.start(await apiServerPrograms());
    const operators = new ClusterOperators(server);
    await operators.define();
    await server.createRestricted(NAMESPACE);
    await server.client.create(`/api/v1/namespaces/${NAMESPACE}/secrets`, {
      metadata: { name: 'dds-superuser' },
      type: 'kubernetes.io/basic-auth',
      stringData: { username: 'postgres', password: 'of-the-test' },
    });
    await operators.startCloudNativePg();
  });
  afterAll(() => server?.stop());

  const refusalOf = (spec: object) =>
    server.client.applyDry({ ...cluster, spec: { ...cluster.spec, ...spec } }, NAMESPACE).then(
      () => '',
      (error: Error) => error.message,
    );
  const namesOf = async (group: string, kind: string) =>
    (await server.client.list<KubernetesObject>(`${group}/namespaces/${NAMESPACE}/${kind}`)).map(
      ({ metadata }) => metadata.name,
    );

  it.each([
    ['a size that is none', { storage: { size: 'much' } }, /Size value isn't valid/],
    [
      'more synchronous replicas than replicas',
      { minSyncReplicas: 1, maxSyncReplicas: 7 },
      /[Mm]axSyncReplicas/,
    ],
  ])('its admission refuses %s', async (_what, spec, sentence) => {
    await waitFor('the operator to be asked', async () => (await refusalOf(spec)) !== '');
    expect(await refusalOf(spec)).toMatch(sentence);
  });

  it('its admission takes the Cluster and fills in the rest', async () => {
    const stored = (await server.client.apply(cluster, NAMESPACE)) as Cluster;
    expect(stored.spec).toMatchObject(cluster.spec);
    expect(stored.spec.imageName).toMatch(/postgresql:18/);
  });

  it('it makes the address, the authority and the first database that the chart counts on', async () => {
    await waitFor(
      'services',
      async () => (await namesOf('/api/v1', 'services')).includes(`${CLUSTER}-rw`),
      MADE_LIMIT_MS,
    );
    await waitFor(
      'the authority',
      async () => (await namesOf('/api/v1', 'secrets')).includes(`${CLUSTER}-ca`),
      MADE_LIMIT_MS,
    );
    await waitFor(
      'the job that makes the database',
      async () => (await namesOf('/apis/batch/v1', 'jobs')).includes(`${CLUSTER}-1-initdb`),
      MADE_LIMIT_MS,
    );
    const { data } = await server.client.get<{ data: Record<string, string> }>(
      `/api/v1/namespaces/${NAMESPACE}/secrets/${CLUSTER}-ca`,
    );
    expect(Object.keys(data)).toContain('ca.crt');
  });
});
