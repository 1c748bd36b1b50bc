import { expect, it } from '@jest/globals';
import { getMetadataStorage } from 'class-validator';
import { faultsOf } from '#libs/platform';
import { OPERATIONS } from './table.js';

const LISTS = OPERATIONS.flatMap(({ name, body }) => {
  if (!body) return [];
  const rules = getMetadataStorage().getTargetValidationMetadatas(body.of, '', false, false);
  const unique = rules.filter((rule) => rule.name === 'arrayUnique');
  return unique.map(({ propertyName }) => ({ name, body, member: propertyName }));
});

it.each(LISTS)(
  'S94: $name: the length of "$member" is checked before its values are compared',
  ({ body, member }) => {
    const list = Array<string>(1_000).fill('com');
    const faults = faultsOf(body.of, { ...body.example, [member]: list });
    const message = expect.stringMatching(/^must contain no more than \d+ elements$/);
    expect(faults).toContainEqual({ field: member, message });
  },
);
