import pg from 'pg';
import { EXTENSIONS_SCHEMA, type SchemaPlan, extensionStatements } from './extensions.js';
import {
  type SchemaService,
  auditorRole,
  maintenanceRole,
  ownerRole,
  rolesOf,
  serviceRole,
} from './services.js';
import {
  AUDIT_TIMEOUT_MS,
  IDLE_IN_TRANSACTION_TIMEOUT_MS,
  STATEMENT_TIMEOUT_MS,
} from './statement-limits.js';

const { escapeIdentifier, escapeLiteral } = pg;

/** After a minute without a packet, the server asks the client's machine three times whether the session still exists. */
const KEEP_ALIVE = {
  tcp_keepalives_idle: 60,
  tcp_keepalives_interval: 10,
  tcp_keepalives_count: 3,
} as const;

/**
 * Returns the statements that create the roles (cluster-wide) with their passwords. They are safe to repeat. Only
 * excessive rights of a role are revoked by name, because an administrator without superuser rights may not even use
 * `nosuperuser`.
 */
export function roleStatements(
  services: readonly SchemaService[],
  passwordOf: (role: string) => string,
): string[] {
  const roles = services.flatMap(rolesOf);
  return [
    `do $$ declare wanted text; excess text; begin
  foreach wanted in array array[${roles.map((role) => escapeLiteral(role)).join(', ')}]::text[] loop
    if not exists (select from pg_roles where rolname = wanted) then
      execute format('create role %I', wanted);
    end if;
    select concat_ws(' ', case when rolsuper then 'nosuperuser' end, case when rolcreatedb then 'nocreatedb' end,
        case when rolcreaterole then 'nocreaterole' end, case when rolreplication then 'noreplication' end,
        case when rolbypassrls then 'nobypassrls' end)
      into excess from pg_roles where rolname = wanted;
    if excess <> '' then execute format('alter role %I %s', wanted, excess); end if;
  end loop;
end $$;`,
    ...roles.map(
      (role) =>
        `alter role ${escapeIdentifier(role)} login password ${escapeLiteral(passwordOf(role))};`,
    ),
  ];
}

/**
 * Returns the statements that create the schemas of a database, the rights of each role (S114), and the extensions.
 * They are safe to repeat, and run as a superuser, or as the database's owner if it may create roles.
 */
export function schemaStatements(plans: readonly SchemaPlan[], database: string): string[] {
  const name = escapeIdentifier(database);
  return [
    ...extensionStatements(plans),
    'revoke all on schema public from public;',
    `revoke all on database ${name} from public;`,
    membershipStatement(plans),
    ...plans.map((plan) => serviceStatements(plan, name)),
  ];
}

/**
 * Returns the statement that grants memberships. A role without superuser rights can give a schema only to a role of
 * which it is a member. PostgreSQL 16 makes the creator of a role only its administrator, so the grant must state a
 * member's rights explicitly.
 */
function membershipStatement(plans: readonly SchemaPlan[]): string {
  const owners = plans.map(({ name }) => escapeLiteral(ownerRole(name)));
  return `do $$ declare owner text; begin
  if (select rolsuper from pg_roles where rolname = current_user) then return; end if;
  foreach owner in array array[${owners.join(', ')}]::text[] loop
    execute format('grant %I to current_user%s', owner,
      case when current_setting('server_version_num')::int >= 160000 then ' with set true, inherit true' end);
  end loop;
end $$;`;
}

function serviceStatements(
  { name: service, extensions = [] }: SchemaPlan,
  database: string,
): string {
  const [schema, owner] = [service, ownerRole(service)].map((n) => escapeIdentifier(n));
  const auditor = escapeIdentifier(auditorRole(service));
  const writers = [serviceRole(service), maintenanceRole(service)].map((n) => escapeIdentifier(n));
  const all = [...writers, auditor].join(', ');
  const grantTo = (privileges: string, roles: string) =>
    `alter default privileges for role ${owner} in schema ${schema} grant ${privileges} to ${roles};`;
  const path = extensions.length > 0 ? `${schema}, ${EXTENSIONS_SCHEMA}` : schema;
  return [
    `create schema if not exists ${schema} authorization ${owner};`,
    `grant connect on database ${database} to ${owner}, ${all};`,
    `grant usage on schema ${schema} to ${all};`,
    ...(extensions.length > 0
      ? [`grant usage on schema ${EXTENSIONS_SCHEMA} to ${owner}, ${all};`]
      : []),
    grantTo('select, insert, update, delete on tables', writers.join(', ')),
    grantTo('usage, select on sequences', writers.join(', ')),
    grantTo('select on tables', auditor),
    ...rolesOf(service).map(
      (role) =>
        `alter role ${escapeIdentifier(role)} in database ${database} set search_path = ${path};`,
    ),
    ...limitStatements(service, database),
  ].join('\n');
}

/**
 * Returns the statements that set the defaults of a service's roles: no compilation, no parallel plans, and time limits
 * for connections that set none, such as those through PgBouncer. The owner has no limit: migrations set their own.
 * Sessions of a lost machine end soon; by default, they would occupy connections and a migration's lock for two hours.
 */
function limitStatements(service: SchemaPlan['name'], database: string): string[] {
  const limits = [
    [serviceRole(service), STATEMENT_TIMEOUT_MS],
    [maintenanceRole(service), STATEMENT_TIMEOUT_MS],
    [auditorRole(service), AUDIT_TIMEOUT_MS],
  ] as const;
  const alterOf = (role: string) =>
    `alter role ${escapeIdentifier(role)} in database ${database} set`;
  const ofAll = rolesOf(service).flatMap((role) =>
    Object.entries(KEEP_ALIVE).map(([name, value]) => `${alterOf(role)} ${name} = ${value};`),
  );
  const ofServices = limits.flatMap(([role, limitMs]) => {
    const alter = alterOf(role);
    return [
      // Many short statements run at once: compiling one or starting workers for it would take longer than running it.
      `${alter} jit = off;`,
      `${alter} max_parallel_workers_per_gather = 0;`,
      `${alter} statement_timeout = ${limitMs};`,
      `${alter} idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_TIMEOUT_MS};`,
    ];
  });
  return [...ofAll, ...ofServices];
}
