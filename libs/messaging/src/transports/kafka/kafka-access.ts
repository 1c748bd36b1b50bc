// Node's import of CommonJS modules does not find all exports of kafkajs.
import kafkajs, { type AclEntry, type AclOperationTypes, type AclResourceTypes } from 'kafkajs';
import type { ServiceName } from '#libs/platform';
import { topicOf } from '../../envelope/bucket.js';
import type { EventsConfig } from '../../events.config.js';
import { withAdmin } from './kafka-client.js';

/** The services whose events each service consumes; a service that only publishes has an empty list. */
export type EventReaders = Partial<Record<ServiceName, readonly ServiceName[]>>;

const { TOPIC, GROUP } = kafkajs.AclResourceTypes;
const { READ, WRITE, DELETE } = kafkajs.AclOperationTypes;
const { LITERAL, PREFIXED } = kafkajs.ResourcePatternTypes;

/**
 * Allows each service, under a user of the same name, to write its own topic, read the topics that it consumes and use
 * its own groups. Everything else is refused if the brokers' authorizer is on. Safe to repeat.
 */
export async function grantAccess(config: EventsConfig, readers: EventReaders): Promise<void> {
  const acl = Object.entries(readers).flatMap(([service, producers]) =>
    rulesOf(config, service as ServiceName, producers),
  );
  await withAdmin(config, (admin) => admin.createAcls({ acl }));
}

function rulesOf(
  { kafkaPrefix }: EventsConfig,
  service: ServiceName,
  producers: readonly ServiceName[],
): AclEntry[] {
  const rule = (
    operation: AclOperationTypes,
    resourceType: AclResourceTypes,
    name: string,
    resourcePatternType = LITERAL,
  ): AclEntry => ({
    principal: `User:${service}`,
    host: '*',
    permissionType: kafkajs.AclPermissionTypes.ALLOW,
    operation,
    resourceType,
    resourceName: `${kafkaPrefix}${name}`,
    resourcePatternType,
  });
  const watching = watchGroupOf(service, '');
  return [
    rule(WRITE, TOPIC, topicOf(service)),
    ...producers.map((producer) => rule(READ, TOPIC, topicOf(producer))),
    rule(READ, GROUP, service),
    rule(READ, GROUP, watching, PREFIXED),
    rule(DELETE, GROUP, watching, PREFIXED),
  ];
}

export function watchGroupOf(service: ServiceName, process: string): string {
  return `${service}-watch-${process}`;
}
