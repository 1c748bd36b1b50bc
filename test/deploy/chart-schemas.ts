import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import {
  DEFINING_MODULES,
  type JsonSchema as Schema,
  customDefinitions,
} from './kubernetes/custom-definitions.js';
import { moduleFolder } from './tools/go-program.js';
import { strimziRelease } from './tools/strimzi-definitions.js';

/** Kubernetes' own description of its API. */
const KUBERNETES = { module: 'k8s.io/kubernetes', version: 'v1.36.1' };
const DESCRIPTION = 'api/openapi-spec/swagger.json';
/** Changed with what is made of them. */
const FORM = 2;

/** How kubeconform finds the schema of a resource in the folder. */
const SCHEMA_NAME = '{{.Group}}_{{.ResourceAPIVersion}}_{{.ResourceKind}}.json';
interface Swagger {
  definitions: Record<string, Schema>;
}

interface GroupVersionKind {
  group: string;
  version: string;
  kind: string;
}

/** The folder of the schemas, in which no field is allowed that the API does not know; made once. */
export async function chartSchemas(): Promise<string> {
  const sources = JSON.stringify([FORM, KUBERNETES, DEFINING_MODULES, strimziRelease()]);
  const id = createHash('sha256').update(sources).digest('hex').slice(0, 12);
  const folder = join(homedir(), '.cache', 'domain-data-service', `kubernetes-schemas-${id}`);
  if (existsSync(folder)) return folder;
  const making = `${folder}.making.${process.pid}`;
  mkdirSync(making, { recursive: true });
  try {
    await writeKubernetes(making);
    await writeCustom(making);
    renameSync(making, folder);
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
  return folder;
}

/** @returns what kubeconform finds wrong with rendered resources, a line each. */
export function schemaFaults(kubeconform: string, schemas: string, resources: string): string[] {
  const location = join(schemas, SCHEMA_NAME);
  const options = ['-strict', '-schema-location', location];
  const { stdout, stderr, error } = spawnSync(kubeconform, options, {
    input: resources,
    encoding: 'utf8',
  });
  if (error) throw error;
  return `${stdout}${stderr}`.split('\n').filter(Boolean);
}

async function writeKubernetes(folder: string): Promise<void> {
  const file = join(await moduleFolder(KUBERNETES), DESCRIPTION);
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

async function writeCustom(folder: string): Promise<void> {
  for (const { spec } of await customDefinitions()) {
    const { group, names, versions } = spec;
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
