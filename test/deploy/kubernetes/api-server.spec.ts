import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { loadAll } from 'js-yaml';
import { CHART_VALUES, FOR_EVERY_POD } from '../chart-values.js';
import { Chart, type PodSpec, RELEASE, type Resource, workloadsOf } from '../chart.js';
import {
  apiServerAvailability,
  apiServerPrograms,
  chartTools,
  chartToolsAvailability,
} from '../tools/programs.js';
import { strimziAvailability } from '../tools/strimzi-definitions.js';
import { ApiServer } from './api-server.js';
import { customDefinitions } from './custom-definitions.js';
import type { KubernetesObject } from './kubernetes-client.js';

/** A time limit for CI, which builds the programs if they have not been built before. */
jest.setTimeout(3_600_000);

const NAMESPACE = 'dds';
const PODS = `/api/v1/namespaces/${NAMESPACE}/pods?dryRun=All&fieldValidation=Strict`;
/** Settings without a service account, because the API server accepts a pod only if its service account exists. */
const { serviceAccount: _account, ...OF_POD_SPECS } = FOR_EVERY_POD;
const missing = chartToolsAvailability() ?? strimziAvailability() ?? apiServerAvailability();

(missing === undefined || process.env.CI === 'true' ? describe : describe.skip)(
  'the chart at a real Kubernetes API server',
  () => {
    let server: ApiServer;
    let chart: Chart;

    beforeAll(async () => {
      chart = new Chart((await chartTools()).helm);
      server = await ApiServer.start(await apiServerPrograms());
      await server.define(await customDefinitions());
      await server.createRestricted(NAMESPACE);
      // In a cluster, a controller creates the service account.
      const account = { metadata: { name: 'default' } };
      await server.client.create(`/api/v1/namespaces/${NAMESPACE}/serviceaccounts`, account);
      const priority = { metadata: { name: FOR_EVERY_POD.priorityClassName }, value: 1 };
      await server.client.create('/apis/scheduling.k8s.io/v1/priorityclasses', priority);
    });
    afterAll(() => server?.stop());

    const installDry = (values: string[], ...sets: string[]) =>
      chart.installDry({ kubeconfig: server.kubeconfig, namespace: NAMESPACE }, values, ...sets);
    const refusalOf = (attempt: Promise<unknown>) =>
      attempt.then(
        () => '',
        (error: Error) => error.message,
      );
    const podOf = ({ metadata, spec }: Resource): PodToCreate => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: metadata.name, labels: spec.template.metadata.labels },
      spec: podSpecOf(spec.template.spec),
    });

    it.each([
      ...Object.entries(CHART_VALUES).map(([name, values]) => [name, values, []] as const),
      [
        'common settings of every pod',
        CHART_VALUES['brought along'] as string[],
        [`defaults=${JSON.stringify(OF_POD_SPECS)}`],
      ] as const,
    ])(
      'S110: the chart is accepted, with every field, in a restricted namespace: %s',
      async (_name, values, sets) => {
        expect(await installDry(values, ...sets)).toContain('STATUS: pending-install');
        const text = await chart.text(values, ...sets);
        const resources = loadAll(text).filter(Boolean) as KubernetesObject[];
        expect(resources.length).toBeGreaterThan(8);
        const nameOf = ({ metadata }: KubernetesObject) => metadata.name;
        const stored = resources.map((one) => server.client.applyDry(one, NAMESPACE));
        expect((await Promise.all(stored)).map(nameOf)).toEqual(resources.map(nameOf));
        const workloads = workloadsOf(resources as unknown as Resource[]);
        expect(workloads.length).toBeGreaterThan(4);
        await Promise.all(workloads.map((one) => server.client.create(PODS, podOf(one))));
      },
    );

    describe('the number of pods of an installed release', () => {
      const place = () => ({ kubeconfig: server.kubeconfig, namespace: NAMESPACE });
      const values = CHART_VALUES['all off'] as string[];
      const [fixed, scaled] = [
        'services.dashboard={"replicas":5}',
        'services.dashboard={"replicas":2,"autoscaling":{"enabled":true,"min":2,"max":9}}',
      ];
      const path = `/apis/apps/v1/namespaces/${NAMESPACE}/deployments/${RELEASE}-dds-dashboard`;
      const replicas = async () => (await server.client.get<Scale>(path)).spec.replicas;
      const scalerSets = (wanted: number) =>
        server.client.merge(`${path}/scale`, { spec: { replicas: wanted } });

      it('stays unchanged when autoscaling is turned on, and is set by the scaler from then on', async () => {
        await chart.store('install', place(), values, fixed);
        await chart.store('upgrade', place(), values, scaled);
        expect(await replicas()).toBe(5);
        // The scaler has not set the number yet. If this revision also omitted the number, it would change to 1.
        await chart.store('upgrade', place(), values, scaled, 'image.tag="0.1.1"');
        expect(await replicas()).toBe(5);
        await scalerSets(7);
        await chart.store('upgrade', place(), values, scaled, 'image.tag="0.1.2"');
        expect(await replicas()).toBe(7);
      });

      it('is set by the chart again only if an operator requests this', async () => {
        const contested = /conflict with .* \.spec\.replicas/;
        expect(await refusalOf(chart.store('upgrade', place(), values, fixed))).toMatch(contested);
        expect(await refusalOf(chart.restore(place(), 2))).toMatch(contested);
        expect(await replicas()).toBe(7);
        // This revision leaves the number to the scaler.
        await chart.restore(place(), 4);
        expect(await replicas()).toBe(7);
        await chart.restore(place(), 1, '--force-conflicts');
        expect(await replicas()).toBe(5);
      });
    });

    it('a change to a value that is fixed at installation is reported before anything changes', async () => {
      const namespace = 'volumes';
      await server.createRestricted(namespace);
      const place = { kubeconfig: server.kubeconfig, namespace };
      const values = CHART_VALUES['all off'] as string[];
      const sized = (size: string) => `services.gateway.volume.size="${size}"`;
      await chart.store('install', place, values, sized('1Gi'));
      expect(await refusalOf(chart.store('upgrade', place, values, sized('2Gi')))).toContain(
        'services.gateway.volume.size is 2Gi, but the volumes were created with 1Gi, and Kubernetes cannot change the volumes of a StatefulSet',
      );
      await chart.store('upgrade', place, values, sized('1Gi'));
    });

    it.each([
      ['runs as root', { runAsNonRoot: false }],
      ['is privileged', { privileged: true, allowPrivilegeEscalation: true }],
      ['may gain rights', { allowPrivilegeEscalation: true }],
      ['keeps its capabilities', { capabilities: { drop: [] } }],
      ['has no seccomp filter', { seccompProfile: { type: 'Unconfined' } }],
    ])('S110: the namespace rejects a pod of the chart that %s', async (_what, securityContext) => {
      const [workload] = workloadsOf(await chart.render(CHART_VALUES['all off'] as string[]));
      const pod = podOf(workload as Resource);
      for (const container of pod.spec.containers) {
        Object.assign(container.securityContext, securityContext);
      }
      expect(await refusalOf(server.client.create(PODS, pod))).toMatch(/violates PodSecurity/);
    });

    it('S110: a field that the API does not know is rejected', async () => {
      const [workload] = workloadsOf(await chart.render(CHART_VALUES['all off'] as string[]));
      const text = JSON.stringify(workload).replace(
        'readOnlyRootFilesystem',
        'readonlyRootFilesystem',
      );
      const attempt = server.client.applyDry(JSON.parse(text) as KubernetesObject, NAMESPACE);
      expect(await refusalOf(attempt)).toMatch(/readonlyRootFilesystem/);
    });

    it.each([
      ['services.gateway.tolerations=[{"operator":"Sometimes"}]', /Sometimes/],
      ['services.gateway.podAnnotations={"not a name":"x"}', /name part must consist of/],
      ['postgresql.port=70000', /70000/],
    ])(
      'the fault in %s is reported by the API server, or by the chart before it',
      async (set, sentence) => {
        const values = CHART_VALUES['all on'] as string[];
        const attempt = async () => {
          for (const resource of (await chart.render(
            values,
            set,
          )) as unknown as KubernetesObject[]) {
            await server.client.applyDry(resource, NAMESPACE);
          }
        };
        expect(await refusalOf(attempt())).toMatch(sentence);
      },
    );
  },
);

interface Scale {
  spec: { replicas: number };
}

interface PodToCreate {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels: Record<string, string> };
  spec: PodSpec;
}

/** Returns the pod that the controller of a StatefulSet would create: claims become volumes of the pod. */
function podSpecOf(template: PodSpec): PodSpec {
  const spec = structuredClone(template);
  const mounted = spec.containers.flatMap(({ volumeMounts }) =>
    volumeMounts.map(({ name }) => name),
  );
  for (const name of new Set(mounted)) {
    if (!spec.volumes.some((volume) => volume.name === name)) {
      spec.volumes.push({ name, emptyDir: {} } as PodSpec['volumes'][number]);
    }
  }
  return spec;
}
