import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { moduleFolder } from '../tools/go-program.js';
import type { KubernetesObject } from './kubernetes-client.js';
import { strimziDefinitions } from '../tools/strimzi-definitions.js';

/** Go modules that contain the definitions of resources, with the paths of these definitions. */
const DEFINING_MODULES = [
  {
    module: 'sigs.k8s.io/gateway-api',
    version: 'v1.6.1',
    path: 'config/crd/standard/*_httproutes.yaml',
  },
  {
    module: 'github.com/prometheus-operator/prometheus-operator',
    version: 'v0.85.0',
    path: 'example/prometheus-operator-crd/*_{servicemonitors,podmonitors,prometheusrules}.yaml',
  },
  {
    module: 'github.com/kedacore/keda/v2',
    version: 'v2.21.0',
    path: 'config/crd/bases/keda.sh_{scaledobjects,triggerauthentications}.yaml',
  },
  {
    module: 'github.com/cert-manager/cert-manager',
    version: 'v1.20.0',
    path: 'deploy/crds/cert-manager.io_{certificates,certificaterequests,issuers,clusterissuers}.yaml',
  },
  {
    module: 'github.com/cloudnative-pg/cloudnative-pg',
    version: 'v1.30.0',
    path: 'config/crd/bases/postgresql.cnpg.io_{clusters,scheduledbackups}.yaml',
  },
  {
    module: 'github.com/cloudnative-pg/plugin-barman-cloud',
    version: 'v0.15.0',
    path: 'config/crd/bases/barmancloud.cnpg.io_objectstores.yaml',
  },
];

/** Returns the definition of every kind of resource in the chart that Kubernetes itself does not define. */
export async function customDefinitions(): Promise<KubernetesObject[]> {
  const files = await strimziDefinitions();
  for (const { path, ...module } of DEFINING_MODULES) {
    const folder = await moduleFolder(module);
    const found = globSync(path, { cwd: folder });
    if (found.length === 0) throw new Error(`${module.module} has no ${path}`);
    files.push(...found.map((file) => join(folder, file)));
  }
  return files.map((file) => load(readFileSync(file, 'utf8')) as KubernetesObject);
}
