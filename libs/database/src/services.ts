import type { ServiceName } from '#libs/platform';

/** A service that owns a schema of its name. The names of its roles are derived from it, too. */
export type SchemaService = ServiceName;

/** Only for migrations; owns every table. */
export const ownerRole = (service: SchemaService) => `${service}_owner`;
/** The running service: it reads and writes rows of its own schema and has no DDL rights. */
export const serviceRole = (service: SchemaService) => service as string;
/** Relays, reapers and jobs that work across accounts. */
export const maintenanceRole = (service: SchemaService) => `${service}_maintenance`;
/** Reads everything and writes nothing; for invariants. */
export const auditorRole = (service: SchemaService) => `${service}_auditor`;

export const rolesOf = (service: SchemaService) => [
  ownerRole(service),
  serviceRole(service),
  maintenanceRole(service),
  auditorRole(service),
];
