import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Container,
  type PodSpec,
  type Resource,
  componentOf,
  containersOf,
  workloadsOf,
} from './chart.js';
import type { DeploymentPlan, PlannedContainer } from './deployment-plan.js';

/** The inputs that containers get from outside their pods. */
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

/** The containers of the chart's workloads, one pod of each. Only the public origins are replaced. */
export function chartPlan(resources: Resource[]): DeploymentPlan {
  const workloads = workloadsOf(resources);
  const nameOfApp = (app: string) =>
    workloads.find((one) => componentOf(one) === app)?.metadata.name ?? '';
  const services = resources.filter(({ kind }) => kind === 'Service');
  const all = workloads.flatMap((workload) =>
    containersOf(workload.spec.template.spec).map((container) => ({ workload, container })),
  );
  return {
    names: all.map(({ workload, container }) => nameOf(workload, container)),
    aliases: Object.fromEntries(
      services.map(({ metadata, spec }) => {
        const selector = spec.selector as unknown as Record<string, string>;
        return [metadata.name, nameOfApp(selector[COMPONENT])];
      }),
    ),
    api: nameOfApp('gateway'),
    dashboard: { name: nameOfApp('dashboard'), port: 8080 },
    containers: (secretFolder, origins) =>
      all.map(({ workload, container }) =>
        planned(workload, container, { secretFolder, origins, migration: nameOfApp(MIGRATION) }),
      ),
  };
}

/** The main container has the name of its workload; an init container is named after the workload and itself. */
const nameOf = ({ metadata, spec }: Resource, { name }: Container) =>
  spec.template.spec.containers.some((one) => one.name === name)
    ? metadata.name
    : `${metadata.name}-${name}`;

function planned(workload: Resource, container: Container, given: Given): PlannedContainer {
  const { spec } = workload.spec.template;
  if (spec.securityContext.runAsUser !== IMAGE_USER)
    throw new Error("a user other than the image's");
  const app = componentOf(workload);
  const name = nameOf(workload, container);
  const environment = Object.fromEntries(container.env.map(({ name: key, value }) => [key, value]));
  const origins = Object.entries(given.origins).filter(([key]) => key in environment);
  const earlier = (spec.initContainers ?? []).map((one) => nameOf(workload, one));
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
      .filter(({ name: volume }) => isClaimed(spec, volume))
      .map(({ mountPath }) => mountPath),
    needs: needs.filter((one) => one !== name),
    isJob: app === MIGRATION,
  };
}

/** A volume that the pod does not list comes from a claim of its StatefulSet. */
const isClaimed = ({ volumes }: PodSpec, name: string) =>
  !volumes.some((volume) => volume.name === name);
