/** The services that own a schema. Role names and schema names are derived from these. */
export const SCHEMA_SERVICES = ['account', 'billing', 'entitlement', 'gateway'] as const;
export type SchemaService = (typeof SCHEMA_SERVICES)[number];

/** Migrations only; owns every table. */
export const ownerRole = (service: SchemaService) => `${service}_owner`;
/** The running service: reads and writes rows of its own schema, no DDL. */
export const serviceRole = (service: SchemaService) => service as string;
/** Relays, reapers and jobs that work across accounts. */
export const maintenanceRole = (service: SchemaService) => `${service}_maintenance`;
/** Reads everything, writes nothing: invariants. */
export const auditorRole = (service: SchemaService) => `${service}_auditor`;

export const rolesOf = (service: SchemaService) => [
  ownerRole(service),
  serviceRole(service),
  maintenanceRole(service),
  auditorRole(service),
];
