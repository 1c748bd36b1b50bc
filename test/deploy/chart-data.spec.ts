import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Chart, RELEASE, type Resource, workloadsOf } from './chart.js';
import { CHART_VALUES } from './chart-values.js';
import { chartTools, chartToolsAvailability } from './tools/programs.js';

/** The time limit is long, because the tools are built first if this machine does not have them. */
jest.setTimeout(1_900_000);

/** The kinds of resources that are deleted with the release, because their contents can be recreated. */
const WITHOUT_DATA = [
  'Certificate',
  'ConfigMap',
  'Deployment',
  'HorizontalPodAutoscaler',
  'Issuer',
  'Job',
  'KafkaUser',
  'NetworkPolicy',
  'Pod',
  'PodDisruptionBudget',
  'ScaledObject',
  'Service',
  'TriggerAuthentication',
];
const KEPT = ['Cluster', 'Kafka', 'KafkaNodePool', 'ObjectStore', 'ScheduledBackup'];
const POSTGRES = `${RELEASE}-dds-postgres`;

(chartToolsAvailability() === undefined ? describe : describe.skip)(
  'the data of an installation',
  () => {
    const brought = CHART_VALUES['brought along'] as string[];
    let chart: Chart;
    let resources: Resource[];

    beforeAll(async () => {
      chart = new Chart((await chartTools()).helm);
      resources = await chart.render(brought);
    });

    const specOf = (kind: string, all = resources) =>
      all.find((resource) => resource.kind === kind)?.spec as Record<string, unknown>;

    it('survives `helm uninstall`: each kind of resource is either kept or known to contain no data', () => {
      const kept = resources.filter(
        ({ metadata }) => metadata.annotations?.['helm.sh/resource-policy'] === 'keep',
      );
      expect([...new Set(kept.map(({ kind }) => kind))].toSorted()).toEqual(KEPT);
      const others = resources.filter((one) => !kept.includes(one) && one.kind !== 'StatefulSet');
      expect(others.filter(({ kind }) => !WITHOUT_DATA.includes(kind))).toEqual([]);
      const stateful = workloadsOf(resources).filter(({ kind }) => kind === 'StatefulSet');
      expect(stateful.map(({ spec }) => spec.persistentVolumeClaimRetentionPolicy)).toEqual(
        stateful.map(() => ({ whenDeleted: 'Retain', whenScaled: 'Retain' })),
      );
      expect(stateful.length).toBeGreaterThan(0);
    });

    it('is backed up on a schedule, to the store in which the WAL is archived', () => {
      const [archiver] = specOf('Cluster').plugins as Plugin[];
      expect(archiver).toEqual({
        name: 'barman-cloud.cloudnative-pg.io',
        isWALArchiver: true,
        parameters: { barmanObjectName: POSTGRES, serverName: POSTGRES },
      });
      expect(specOf('ObjectStore')).toMatchObject({
        retentionPolicy: '14d',
        configuration: {
          destinationPath: 's3://example-backups/dds',
          endpointURL: 'https://s3.example.org',
          s3Credentials: { secretAccessKey: { name: 'dds-backup', key: 'ACCESS_SECRET_KEY' } },
        },
      });
      expect(specOf('ScheduledBackup')).toMatchObject({
        schedule: '0 30 2 * * *',
        immediate: true,
        backupOwnerReference: 'none',
        cluster: { name: POSTGRES },
        pluginConfiguration: { name: archiver?.name },
      });
    });

    it('is on two servers before a write is acknowledged, if there are several and a standby works', async () => {
      const synchronous = { method: 'any', number: 1, dataDurability: 'preferred' };
      expect(specOf('Cluster').postgresql).toMatchObject({ synchronous });
      const single = await chart.render(brought, 'postgresql.cluster.instances=1');
      expect(specOf('Cluster', single).postgresql ?? {}).not.toHaveProperty('synchronous');
    });

    it('is on servers that request their memory, and its copies in Kafka are spread over nodes and zones', () => {
      const requests = { cpu: '250m', memory: '1Gi' };
      expect(specOf('Cluster')).toMatchObject({ resources: { requests } });
      expect(specOf('KafkaNodePool')).toMatchObject({
        resources: { requests },
        template: {
          pod: {
            topologySpreadConstraints: [
              { topologyKey: 'topology.kubernetes.io/zone', maxSkew: 1 },
              { topologyKey: 'kubernetes.io/hostname', maxSkew: 1 },
            ],
          },
        },
      });
    });

    it('is restored from the folder of another cluster, and archived to a new folder', async () => {
      const recovered = await chart.render(
        brought,
        'postgresql.cluster.backup.server="second"',
        'postgresql.cluster.backup.secret=""',
        'postgresql.cluster.recovery={"server":"first","until":"2026-11-23T10:00:00Z"}',
      );
      expect(specOf('Cluster', recovered)).toMatchObject({
        bootstrap: {
          recovery: { source: 'first', recoveryTarget: { targetTime: '2026-11-23T10:00:00Z' } },
        },
        externalClusters: [{ name: 'first', plugin: { parameters: { serverName: 'first' } } }],
        plugins: [{ parameters: { barmanObjectName: POSTGRES, serverName: 'second' } }],
      });
      expect(specOf('ObjectStore', recovered)).toMatchObject({
        configuration: { s3Credentials: { inheritFromIAMRole: true } },
      });
    });
  },
);

interface Plugin {
  name: string;
  isWALArchiver: boolean;
  parameters: Record<string, string>;
}
