import pg from 'pg';
import type { SchemaService } from './services.js';

const { escapeIdentifier } = pg;

/**
 * The schema with the extensions that services need, one copy for all services of a database. It follows a service's
 * own schema in the search path, and no service can create objects in it.
 */
export const EXTENSIONS_SCHEMA = 'extensions';

export interface SchemaPlan {
  name: SchemaService;
  /** Extensions of PostgreSQL that the service's tables and statements use, such as `pg_trgm`. */
  extensions?: readonly string[];
}

/**
 * The error for an extension that a service needs but that is not available on this server, or not in a schema that the
 * service's roles search.
 */
export class ExtensionMissing extends Error {}

const STATE = `
  select wanted.name, available.name is not null as "isAvailable", n.nspname as schema
  from unnest($1::text[]) as wanted (name)
  left join pg_available_extensions available using (name)
  left join pg_extension e on e.extname = wanted.name
  left join pg_namespace n on n.oid = e.extnamespace`;

interface State {
  name: string;
  isAvailable: boolean;
  /** The schema of the extension; null if it has not been created. */
  schema: string | null;
}

/** The schemas in which extensions are found: every role's search path includes them. */
const FOUND_IN = [EXTENSIONS_SCHEMA, 'pg_catalog'];

/** Returns statements that create the services' extensions. They are safe to repeat. */
export function extensionStatements(plans: readonly SchemaPlan[]): string[] {
  const wanted = wantedBy(plans);
  if (wanted.length === 0) return [];
  return [
    `create schema if not exists ${EXTENSIONS_SCHEMA};`,
    ...wanted.map(
      (name) =>
        `create extension if not exists ${escapeIdentifier(name)} with schema ${EXTENSIONS_SCHEMA};`,
    ),
  ];
}

const wantedBy = (plans: readonly SchemaPlan[]) => [
  ...new Set(plans.flatMap(({ extensions = [] }) => extensions)),
];

/**
 * Checks that the services' extensions exist where their roles search, or can be created there. @throws
 * ExtensionMissing that names every extension that is not on the server or is in another schema.
 */
export async function checkExtensions(
  client: pg.Client,
  plans: readonly SchemaPlan[],
): Promise<void> {
  const states = await statesOf(client, wantedBy(plans));
  const faults = states.flatMap((state) => faultOf(state, plans));
  if (faults.length > 0) throw new ExtensionMissing(faults.join('; '));
}

/** Checks that the extensions are provisioned; any role may call this. @throws ExtensionMissing if one is not. */
export async function requireExtensions(
  client: pg.Client,
  names: readonly string[],
): Promise<void> {
  const states = await statesOf(client, names);
  const missing = states.filter(({ schema }) => !isFound(schema)).map(({ name }) => name);
  if (missing.length === 0) return;
  throw new ExtensionMissing(
    `the database does not have the PostgreSQL extension ${missing.join(', ')}: provision it first (npm run cli -- provision)`,
  );
}

async function statesOf(client: pg.Client, names: readonly string[]): Promise<State[]> {
  if (names.length === 0) return [];
  return (await client.query<State>(STATE, [names])).rows;
}

const isFound = (schema: string | null) => schema !== null && FOUND_IN.includes(schema);

function faultOf({ name, isAvailable, schema }: State, plans: readonly SchemaPlan[]): string[] {
  const users = plans.filter(({ extensions }) => extensions?.includes(name));
  const use = `the PostgreSQL extension ${name} (for ${users.map((plan) => plan.name).join(', ')})`;
  if (schema !== null && !isFound(schema)) {
    return [
      `${use} is in the schema ${schema}, which services do not search: alter extension ${escapeIdentifier(name)} set schema ${EXTENSIONS_SCHEMA}`,
    ];
  }
  if (isAvailable || schema !== null) return [];
  return [`${use} is not on this server: install PostgreSQL's contrib modules there`];
}
