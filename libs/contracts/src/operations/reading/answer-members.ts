// @ts-expect-error -- the module has no types of its own
import { defaultMetadataStorage as untyped } from 'class-transformer/cjs/storage.js';
import { IS_OBJECT, getMetadataStorage } from 'class-validator';
import { type ItemClass, isItemClass } from '../bulk.js';
import type { DataClass } from '../parameter.js';

export const nestedTypes = untyped as {
  findTypeMetadata(type: DataClass, member: string): { typeFunction(): DataClass } | undefined;
};

/** The contents of a member: the members of a class, arbitrary names, or nothing that has a name. */
type Below = DataClass | 'any' | 'none';

const rulesOf = (type: DataClass) =>
  getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);

const known = new WeakMap<DataClass, Map<string, Below>>();

/**
 * Whether a dot path such as `dates.created` leads to a member of a decorated class, or below a member in which any
 * name is allowed. Lists have no members.
 */
export function isMemberPath(type: DataClass, path: string): boolean {
  let at: Below = type;
  for (const member of path.split('.')) {
    if (at === 'any') return true;
    const below: Below | undefined = at === 'none' ? undefined : membersOf(at).get(member);
    if (below === undefined) return false;
    at = below;
  }
  return true;
}

/** Returns the member of a bulk answer that contains its items, and their class; undefined for other answers. */
export function itemMemberOf(type: DataClass): { member: string; of: ItemClass } | undefined {
  for (const { propertyName: member } of rulesOf(type)) {
    const of = nestedTypes.findTypeMetadata(type, member)?.typeFunction();
    if (of !== undefined && isItemClass(of)) return { member, of };
  }
  return undefined;
}

/**
 * Returns the class of each member that a selection can cut: those that contain an object, but not a list of objects.
 */
export function membersWithMembers(type: DataClass): DataClass[] {
  return [...membersOf(type).values()].filter((below) => typeof below === 'function');
}

/**
 * Returns the members of a class, and what each contains. They are collected once per class, because this runs for each
 * request that selects members.
 */
function membersOf(type: DataClass): Map<string, Below> {
  const found = known.get(type) ?? new Map<string, Below>();
  if (known.has(type)) return found;
  known.set(type, found);
  const byMember = Map.groupBy(rulesOf(type), ({ propertyName }) => propertyName);
  for (const [member, own] of byMember) {
    const isList = own.some(({ each }) => each);
    const nested = isList ? undefined : nestedTypes.findTypeMetadata(type, member);
    const isOpen = own.some(({ name }) => name === IS_OBJECT);
    found.set(member, nested?.typeFunction() ?? (isOpen ? 'any' : 'none'));
  }
  return found;
}
