import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Container, type PodSpec, containersOf } from './chart.js';
import type { DeploymentPlan, PlannedContainer } from './deployment-plan.js';

/** A pod as an API server stores it. */
export interface Pod {
  metadata: { name: string; labels: Record<string, string> };
  spec: PodSpec;
}

export interface ChartInstallation {
  pods: Pod[];
  /** Services by name, with the labels of the pods behind them. */
  services: Record<string, Record<string, string>>;
}

/** Inputs that containers get from outside their pods. */
interface Given {
  /** The keys of this Secret are its files. */
  secretFolder: string;
  origins: Record<string, string>;
  /** The container after which the services may start. */
  migration: string;
}

const IMAGE_USER = 10_001;
const COMPONENT = 'app.kubernetes.io/component';
const MIGRATION = 'migrate';

/**
 * The containers of an installation's pods, as their specifications have them. Only the public origins are replaced.
 */
export function chartPlan({ pods, services }: ChartInstallation): DeploymentPlan {
  const of = (app: string) => pods.filter(({ metadata }) => metadata.labels[COMPONENT] === app);
  const [api] = of('gateway').map(({ metadata }) => metadata.name);
  const [dashboard] = of('dashboard').map(({ metadata }) => metadata.name);
  const [migration] = of(MIGRATION).map(({ metadata }) => metadata.name);
  const answering = (labels: Record<string, string>) =>
    pods.find(({ metadata }) =>
      Object.entries(labels).every(([key, value]) => metadata.labels[key] === value),
    )?.metadata.name ?? '';
  return {
    names: pods.flatMap((pod) => containersOf(pod.spec).map((one) => nameOf(pod, one))),
    aliases: Object.fromEntries(
      Object.entries(services).map(([service, labels]) => [service, answering(labels)]),
    ),
    api,
    dashboard: { name: dashboard, port: 8080 },
    containers: (secretFolder, origins) =>
      pods.flatMap((pod) =>
        containersOf(pod.spec).map((one) =>
          planned(pod, one, { secretFolder, origins, migration }),
        ),
      ),
  };
}

/** The main container has the name of its pod; an init container is named after the pod and itself. */
const nameOf = ({ metadata, spec }: Pod, { name }: Container) =>
  spec.containers.some((one) => one.name === name) ? metadata.name : `${metadata.name}-${name}`;

function planned(pod: Pod, container: Container, given: Given): PlannedContainer {
  const { metadata, spec } = pod;
  if (spec.securityContext.runAsUser !== IMAGE_USER)
    throw new Error("a user other than the image's");
  const app = metadata.labels[COMPONENT];
  const name = nameOf(pod, container);
  const environment = Object.fromEntries(container.env.map(({ name: key, value }) => [key, value]));
  const origins = Object.entries(given.origins).filter(([key]) => key in environment);
  const earlier = (spec.initContainers ?? []).map((one) => nameOf(pod, one));
  const needs = app === MIGRATION ? earlier : [given.migration];
  return {
    name,
    app,
    command: container.args,
    environment: { ...environment, ...Object.fromEntries(origins) },
    secrets: Object.fromEntries(
      spec.volumes
        .flatMap(({ projected }) => projected?.sources ?? [])
        .flatMap(({ secret }) =>
          (secret?.items ?? []).filter(
            // An optional key does not become a file until the Secret contains it.
            ({ key }) => !secret?.optional || existsSync(join(given.secretFolder, key)),
          ),
        )
        .map(({ key, path }) => [path, readFileSync(join(given.secretFolder, key), 'utf8')]),
    ),
    mounted: Object.fromEntries(
      container.volumeMounts.flatMap(({ name: volume, mountPath }) => {
        const secret = spec.volumes.find((one) => one.name === volume)?.secret?.secretName;
        return secret === undefined ? [] : [[mountPath, secret]];
      }),
    ),
    kept: container.volumeMounts
      .filter(({ name: volume }) => isKept(spec, volume))
      .map(({ mountPath }) => mountPath),
    needs: needs.filter((one) => one !== name),
    isJob: app === MIGRATION,
  };
}

const isKept = ({ volumes }: PodSpec, name: string) =>
  volumes.some((volume) => volume.name === name && 'persistentVolumeClaim' in volume);
