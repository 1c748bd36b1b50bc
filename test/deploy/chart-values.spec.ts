import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { load } from 'js-yaml';
import { CHART } from './chart.js';

type Value = string | number | boolean | null | Value[] | { [name: string]: Value };
type Path = (string | number)[];

/** Maps whose keys the operator chooses or Kubernetes defines. The API server or a later check validates these keys. */
const FREE = new Set([
  'settings',
  'podAnnotations',
  'podLabels',
  'affinity',
  'podSecurityContext',
  'securityContext',
  'items',
  'annotations',
  'nodeSelector',
  'labels',
  'requests',
  'limits',
  'matchLabels',
]);
const schema = JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8')) as object;
const isValid = new Ajv2020({ strict: false }).compile(schema);
const values = load(readFileSync(join(CHART, 'values.yaml'), 'utf8')) as Value;

const isMap = (value: Value): value is { [name: string]: Value } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Lists every value with its path, maps before their members. */
function* pathsIn(value: Value, path: Path = []): Generator<[Path, Value]> {
  yield [path, value];
  const isFree = FREE.has(String(path.at(-1)));
  if (isMap(value) && !isFree) {
    for (const [name, held] of Object.entries(value)) yield* pathsIn(held, [...path, name]);
  }
}

/** Returns the values with one path replaced. Without a replacement, the value is removed, as Helm does with `null`. */
function changed(path: Path, value?: Value): Value {
  const copy = structuredClone(values);
  let at = copy as Record<string | number, Value>;
  for (const name of path.slice(0, -1)) at = at[name] as Record<string | number, Value>;
  const last = path.at(-1) as string;
  if (value === undefined) delete at[last];
  else at[last] = value;
  return copy;
}

const unlike = (value: Value): Value => (typeof value === 'string' ? [1] : 'of another type');

const everywhere = [...pathsIn(values)].filter(([path]) => path.length > 0);
/** Whether a path is within a service's entry in `services`, which overrides only some of `defaults`. */
const isPartial = (path: Path) => path[0] === 'services' && path.length > 1;

describe('the values of the chart', () => {
  it('are numerous, and valid without changes', () => {
    expect([isValid(values), isValid.errors]).toEqual([true, null]);
    expect(everywhere.length).toBeGreaterThan(120);
  });

  it.each(everywhere.map(([path, value]) => [path.join('.'), path, value] as const))(
    '%s cannot be missing, have a wrong type or contain an unknown name',
    (_name, path, value) => {
      const taken = {
        missing: !isPartial(path) && isValid(changed(path)),
        ofAnotherType: isValid(changed(path, unlike(value))),
        unknown:
          isMap(value) &&
          !FREE.has(String(path.at(-1))) &&
          path.join() !== 'services' &&
          isValid(changed([...path, 'surprise'], 1)),
      };
      expect(taken).toEqual({ missing: false, ofAnotherType: false, unknown: false });
    },
  );

  it('do not include passwords, and are empty if they name a Secret', () => {
    const named = everywhere.filter(([path]) => /password|token|secret/i.test(String(path.at(-1))));
    const held = named.filter(([, value]) => !isMap(value) && value !== '' && value !== false);
    expect(named.length).toBeGreaterThan(5);
    expect(held.filter(([path]) => path.join('.') !== 'image.pullSecrets')).toEqual([]);
  });
});
