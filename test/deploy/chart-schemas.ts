import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { load } from 'js-yaml';
import { CACHE } from './chart-tools.js';

/** Kubernetes' own description of its API. */
const KUBERNETES = { module: 'k8s.io/kubernetes@v1.36.1', path: 'api/openapi-spec/swagger.json' };
/** Definitions of the resources that others bring. CloudNativePG and Strimzi publish no module. */
const CUSTOM = [
  { module: 'sigs.k8s.io/gateway-api@v1.6.1', path: 'config/crd/standard/*_httproutes.yaml' },
  {
    module: 'github.com/prometheus-operator/prometheus-operator@v0.85.0',
    path: 'example/prometheus-operator-crd/*_{servicemonitors,prometheusrules}.yaml',
  },
  {
    module: 'github.com/kedacore/keda/v2@v2.21.0',
    path: 'config/crd/bases/keda.sh_{scaledobjects,triggerauthentications}.yaml',
  },
];
/** Changed with what is made of them. */
const FORM = 1;
const DOWNLOAD_LIMIT_MS = 600_000;

/** How kubeconform finds the schema of a resource in the folder. */
const SCHEMA_NAME = '{{.Group}}_{{.ResourceAPIVersion}}_{{.ResourceKind}}.json';
/** Of CloudNativePG and Strimzi: no schema is to be had. */
const UNKNOWN_KINDS = 'Cluster,Kafka,KafkaNodePool,KafkaUser';

type Schema = { [keyword: string]: unknown };

interface Swagger {
  definitions: Record<string, Schema>;
}

interface CustomResourceDefinition {
  spec: {
    group: string;
    names: { kind: string };
    versions: { name: string; schema: { openAPIV3Schema: Schema } }[];
  };
}

interface GroupVersionKind {
  group: string;
  version: string;
  kind: string;
}

/** The folder of the schemas, in which no field is allowed that the API does not know; made once. */
export async function chartSchemas(): Promise<string> {
  const versions = createHash('sha256').update(JSON.stringify([FORM, KUBERNETES, CUSTOM]));
  const folder = join(dirname(CACHE), `kubernetes-schemas-${versions.digest('hex').slice(0, 12)}`);
  if (existsSync(folder)) return folder;
  const making = `${folder}.making.${process.pid}`;
  mkdirSync(making, { recursive: true });
  try {
    await writeKubernetes(making);
    for (const { module, path } of CUSTOM) await writeCustom(making, module, path);
    renameSync(making, folder);
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
  return folder;
}

/** @returns what kubeconform finds wrong with rendered resources, a line each. */
export function schemaFaults(kubeconform: string, schemas: string, resources: string): string[] {
  const location = join(schemas, SCHEMA_NAME);
  const options = ['-strict', '-schema-location', location, '-skip', UNKNOWN_KINDS];
  const { stdout, stderr, error } = spawnSync(kubeconform, options, {
    input: resources,
    encoding: 'utf8',
  });
  if (error) throw error;
  return `${stdout}${stderr}`.split('\n').filter(Boolean);
}

async function writeKubernetes(folder: string): Promise<void> {
  const file = join(await moduleFolder(KUBERNETES.module), KUBERNETES.path);
  const { definitions } = JSON.parse(readFileSync(file, 'utf8')) as Swagger;
  for (const [name, schema] of Object.entries(definitions)) {
    const [kind, ...others] =
      (schema['x-kubernetes-group-version-kind'] as GroupVersionKind[] | undefined) ?? [];
    // What belongs to every group, as options of a deletion do, is no resource.
    if (kind === undefined || others.length > 0) continue;
    const needed = [...reachable(definitions, name)].map((one) => [
      one,
      strict(definitions[one] as Schema),
    ]);
    write(folder, kind, {
      $ref: `#/definitions/${name}`,
      definitions: Object.fromEntries(needed) as Schema,
    });
  }
}

async function writeCustom(folder: string, module: string, path: string): Promise<void> {
  const files = globSync(path, { cwd: await moduleFolder(module) });
  if (files.length === 0) throw new Error(`${module} has no ${path}`);
  for (const file of files) {
    const text = readFileSync(join(await moduleFolder(module), file), 'utf8');
    const { group, names, versions } = (load(text) as CustomResourceDefinition).spec;
    for (const { name: version, schema } of versions) {
      write(folder, { group, version, kind: names.kind }, strict(schema.openAPIV3Schema) as Schema);
    }
  }
}

function write(folder: string, { group, version, kind }: GroupVersionKind, schema: Schema): void {
  // kubeconform takes the version for the group where there is none.
  const name = `${group || version}_${version}_${kind.toLowerCase()}.json`;
  writeFileSync(join(folder, name), JSON.stringify(schema));
}

/** Names of all definitions that one leads to, itself included. */
function reachable(
  definitions: Record<string, Schema>,
  name: string,
  found = new Set<string>(),
): Set<string> {
  if (found.has(name)) return found;
  found.add(name);
  const text = JSON.stringify(definitions[name]);
  for (const [, other] of text.matchAll(/"#\/definitions\/([^"]+)"/g)) {
    reachable(definitions, other as string, found);
  }
  return found;
}

/** The same schema, in which an object has no field but those that it names. */
function strict(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(strict);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { ...made } = schema as Schema;
  if (made.format === 'int-or-string' || made['x-kubernetes-int-or-string'] === true) {
    return { type: ['integer', 'string'] };
  }
  const isOpen = made['x-kubernetes-preserve-unknown-fields'] === true;
  for (const [key, value] of Object.entries(made)) made[key] = strict(value);
  if (isProperties(made.properties) && made.additionalProperties === undefined && !isOpen) {
    made.additionalProperties = false;
  }
  return made;
}

/** Whether it is the keyword, not a field of that name. */
const isProperties = (value: unknown) =>
  typeof value === 'object' && value !== null && typeof (value as Schema).type !== 'string';

async function moduleFolder(module: string): Promise<string> {
  const { stdout } = await promisify(execFile)('go', ['mod', 'download', '-json', module], {
    cwd: tmpdir(),
    timeout: DOWNLOAD_LIMIT_MS,
  });
  return (JSON.parse(stdout) as { Dir: string }).Dir;
}
