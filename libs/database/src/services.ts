import type { ServiceName } from '#libs/platform';

/** A service that owns a schema. The names of the schema and of its roles derive from the service's name. */
export type SchemaService = ServiceName;

/** Returns the role that owns every table; only migrations use it. */
export const ownerRole = (service: SchemaService) => `${service}_owner`;
/** Returns the role of the running service: it reads and writes rows of its own schema and has no DDL rights. */
export const serviceRole = (service: SchemaService) => service as string;
/** Returns the role of relays, reapers and jobs that work across accounts. */
export const maintenanceRole = (service: SchemaService) => `${service}_maintenance`;
/** Returns the role of the auditor, which reads everything and writes nothing. */
export const auditorRole = (service: SchemaService) => `${service}_auditor`;

export const rolesOf = (service: SchemaService) => [
  ownerRole(service),
  serviceRole(service),
  maintenanceRole(service),
  auditorRole(service),
];
